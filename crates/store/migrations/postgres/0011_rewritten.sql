-- The sentences of an answer that were rewritten after a check, with what stood there before: a list of objects.
ALTER TABLE messages ADD COLUMN rewritten JSONB NOT NULL DEFAULT '[]';
