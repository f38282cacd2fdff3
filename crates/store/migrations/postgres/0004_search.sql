-- The words of passages as they are looked for. They come analysed from outside, so that both engines agree on what a
-- word is; `words` is NULL until then. `word_count` is how many there are, `length` is the same as ranking sees it:
-- rounded down as the embedded engine does. They stand beside `chunks` and not in it, so that ranking thousands of
-- passages reads half as many pages, and analysing a passage does not write its text again.
CREATE TABLE chunk_words (
    seq          BIGINT NOT NULL PRIMARY KEY REFERENCES chunks (seq) ON DELETE CASCADE,
    tenant_id    UUID NOT NULL,
    revision_id  UUID NOT NULL,
    length       BIGINT,
    word_count   BIGINT,
    words        tsvector
) WITH (toast_tuple_target = 8160);
-- Ranking looks at the words of a passage once a word of the query: they stay in the row and uncompressed if they fit.
ALTER TABLE chunk_words ALTER COLUMN words SET STORAGE MAIN;
-- How frequent common words are, and how long passages are, is known from these.
ALTER TABLE chunk_words ALTER COLUMN words SET STATISTICS 1000;
ALTER TABLE chunk_words ALTER COLUMN word_count SET STATISTICS 1000;
ALTER TABLE chunk_words ALTER COLUMN tenant_id SET STATISTICS 1000;

CREATE FUNCTION chunks_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO chunk_words (seq, tenant_id, revision_id) SELECT seq, tenant_id, revision_id FROM kept;
    RETURN NULL;
END $$;
CREATE TRIGGER chunks_kept AFTER INSERT ON chunks
    REFERENCING NEW TABLE AS kept FOR EACH STATEMENT EXECUTE FUNCTION chunks_kept();
INSERT INTO chunk_words (seq, tenant_id, revision_id) SELECT seq, tenant_id, revision_id FROM chunks;

-- Without a list of pending entries, which every search would have to read through.
CREATE INDEX chunk_words_words ON chunk_words USING gin (words) WITH (fastupdate = off);
CREATE INDEX chunk_words_revision ON chunk_words (revision_id);
CREATE INDEX chunk_words_counted ON chunk_words (tenant_id) INCLUDE (word_count) WHERE words IS NOT NULL;
CREATE INDEX chunk_words_missing ON chunk_words (tenant_id, seq) WHERE words IS NULL;

-- Which source stands at a passage's revision.
CREATE INDEX sources_revision ON sources (revision_id) WHERE revision_id IS NOT NULL;
CREATE INDEX revisions_manifest ON revisions (tenant_id, manifest_sha256) WHERE manifest_sha256 IS NOT NULL;

-- Each embedding space has an index of its own, made with it; here those of the spaces that are there already.
DO $$
DECLARE
    space RECORD;
BEGIN
    FOR space IN SELECT id, dimension FROM embedding_spaces WHERE dimension <= 4000 LOOP
        EXECUTE format(
            'CREATE INDEX chunk_vectors_space_%s ON chunk_vectors
             USING hnsw ((vector::halfvec(%s)) halfvec_cosine_ops) WHERE space_id = %s',
            space.id, space.dimension, space.id);
    END LOOP;
END $$;

-- Bytes of artifacts that are too small and too many to lie in a file each: passages that were imported.
CREATE TABLE small_blobs (
    tenant_id  UUID NOT NULL,
    sha256     BYTEA NOT NULL,
    bytes      BYTEA NOT NULL,
    PRIMARY KEY (tenant_id, sha256),
    FOREIGN KEY (tenant_id, sha256) REFERENCES artifacts (tenant_id, sha256) ON DELETE CASCADE
);
