-- When the document or message was written that tells of an event. It stands in for `event_date` where the text tells none.
ALTER TABLE events ADD COLUMN document_date TEXT;
