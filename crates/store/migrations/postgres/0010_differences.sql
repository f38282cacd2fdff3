-- The details in which a claim and its source differ: a list of objects. Citations made before have none.
ALTER TABLE citations ADD COLUMN why JSONB NOT NULL DEFAULT '[]';
