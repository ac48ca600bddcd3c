-- Why: products are found by words in English and Bangla, half typed and mistyped ones too. Owner: catalogue.
-- Locks: none to speak of (small tables); the documents of all products are made here once.
-- Undo: drop the functions with their triggers (CASCADE), the table, and the extension.

-- Trusted since PostgreSQL 13: whoever may create things in the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- The words of a text as they are compared, parted by single blanks: lower case, one spelling for each letter, Latin
-- digits for Bangla ones, no accents on Latin letters, no joiners (they change how Bangla is drawn, and keyboards
-- disagree about them). The Bangla block is named because not every locale counts vowel signs as letters.
CREATE FUNCTION fold_search_words(given text) RETURNS text IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
  SELECT btrim(regexp_replace(
    normalize(regexp_replace(
      normalize(lower(translate(normalize(given, NFKC), U&'০১২৩৪৫৬৭৮৯\200c\200d', '0123456789')), NFD),
      U&'[\0300-\036f]', '', 'g'), NFC),
    U&'[^[:alnum:]\0980-\09ff]+', ' ', 'g'))
$$;

-- Word by word and not by to_tsvector: its parser makes one word of `ps4/ps5` and takes others for numbers or hosts.
CREATE FUNCTION search_vector(weight text, VARIADIC texts text[]) RETURNS tsvector IMMUTABLE PARALLEL SAFE LANGUAGE sql AS $$
  SELECT coalesce(string_agg(left(word, 200) || ':' || least(place, 16000) || weight, ' '), '')::tsvector
  FROM string_to_table(fold_search_words(array_to_string(texts, ' ')), ' ') WITH ORDINALITY AS words (word, place)
  WHERE word <> ''
$$;

CREATE TABLE product_search (
  product_id bigint   PRIMARY KEY REFERENCES products ON DELETE CASCADE,
  -- Names weigh A, the brand B, shelves and variants C, descriptions D.
  document   tsvector NOT NULL,
  -- What may be meant by a mistyped word: all but the descriptions.
  words      text     NOT NULL
);
CREATE INDEX product_search__by_document ON product_search USING gin (document);
CREATE INDEX product_search__by_words ON product_search USING gin (words gin_trgm_ops);

CREATE FUNCTION index_products_for_search(ids bigint[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO product_search (product_id, document, words)
  SELECT product.id,
    search_vector('A', product.name, product.name_bn)
      || search_vector('B', brand.name, brand.name_bn)
      || search_vector('C', shelves.names, variants.names)
      || search_vector('D', product.description, product.description_bn),
    fold_search_words(concat_ws(' ', product.name, product.name_bn, brand.name, brand.name_bn, shelves.names, variants.names))
  FROM products product
  JOIN brands brand ON brand.id = product.brand_id
  CROSS JOIN LATERAL (
    SELECT string_agg(concat_ws(' ', shelf.name, shelf.name_bn), ' ') AS names
    FROM (
      SELECT name, name_bn FROM categories WHERE id = product.category_id AND is_active
      UNION ALL
      SELECT name, name_bn FROM product_types WHERE id = product.product_type_id AND is_active
      UNION ALL
      SELECT name, name_bn FROM tags JOIN product_tags ON tag_id = tags.id WHERE product_id = product.id AND is_active
    ) AS shelf
  ) AS shelves
  CROSS JOIN LATERAL (
    SELECT string_agg(concat_ws(' ', name, name_bn), ' ') AS names
    FROM product_variants WHERE product_id = product.id AND is_active
  ) AS variants
  WHERE product.id = ANY (ids)
  ON CONFLICT (product_id) DO UPDATE SET document = excluded.document, words = excluded.words
$$;

CREATE FUNCTION note_search_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed bigint := CASE WHEN TG_OP = 'DELETE' THEN (to_jsonb(OLD) ->> TG_ARGV[1])::bigint ELSE (to_jsonb(NEW) ->> TG_ARGV[1])::bigint END;
  ids     bigint[];
BEGIN
  -- Writers of the catalogue take turns from here (migration 0009), so that no document is made of a text that
  -- somebody else is changing: the statements below see what the one before has committed.
  PERFORM FROM catalogue_version FOR UPDATE;
  EXECUTE format('SELECT array_agg(id) FROM products WHERE %s', TG_ARGV[0]) INTO ids USING changed;
  PERFORM index_products_for_search(ids);
  RETURN NULL;
END $$;

CREATE TRIGGER products__search AFTER INSERT OR UPDATE OF name, name_bn, description, description_bn, brand_id, category_id, product_type_id
  ON products FOR EACH ROW EXECUTE FUNCTION note_search_change('id = $1', 'id');
CREATE TRIGGER product_variants__search AFTER INSERT OR DELETE OR UPDATE OF name, name_bn, is_active
  ON product_variants FOR EACH ROW EXECUTE FUNCTION note_search_change('id = $1', 'product_id');
CREATE TRIGGER product_tags__search AFTER INSERT OR DELETE
  ON product_tags FOR EACH ROW EXECUTE FUNCTION note_search_change('id = $1', 'product_id');
CREATE TRIGGER brands__search AFTER UPDATE OF name, name_bn
  ON brands FOR EACH ROW EXECUTE FUNCTION note_search_change('brand_id = $1', 'id');
CREATE TRIGGER categories__search AFTER UPDATE OF name, name_bn, is_active
  ON categories FOR EACH ROW EXECUTE FUNCTION note_search_change('category_id = $1', 'id');
CREATE TRIGGER product_types__search AFTER UPDATE OF name, name_bn, is_active
  ON product_types FOR EACH ROW EXECUTE FUNCTION note_search_change('product_type_id = $1', 'id');
CREATE TRIGGER tags__search AFTER UPDATE OF name, name_bn, is_active
  ON tags FOR EACH ROW EXECUTE FUNCTION note_search_change('id IN (SELECT product_id FROM product_tags WHERE tag_id = $1)', 'id');

SELECT index_products_for_search(array_agg(id)) FROM products;

-- Products that have every typed word (ten at most), the best first: a word as it is, one that begins so, and only
-- where no product has either, one much like it. The threshold is for this function alone; with the usual one (0.5)
-- two letters the wrong way round are not forgiven.
CREATE FUNCTION search_products(typed text) RETURNS TABLE (product_id bigint, score real)
LANGUAGE plpgsql STABLE SET pg_trgm.strict_word_similarity_threshold = 0.3 AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH asked AS MATERIALIZED (
    SELECT DISTINCT word FROM (
      SELECT word FROM string_to_table(fold_search_words(typed), ' ') AS words (word) WHERE word <> '' LIMIT 10
    ) AS first_ten
  ), had AS MATERIALIZED (
    SELECT asked.word, search.product_id, greatest(
      ts_rank(search.document, word::tsquery), 0.75 * ts_rank(search.document, (word || ':*')::tsquery))::real AS score
    FROM asked JOIN product_search search ON search.document @@ (left(word, 200) || ':*')::tsquery
  ), guessed AS (
    SELECT asked.word, search.product_id, (0.5 * strict_word_similarity(asked.word, search.words))::real AS score
    FROM asked JOIN product_search search ON asked.word <<% search.words
    WHERE char_length(asked.word) >= 4 AND NOT EXISTS (SELECT FROM had WHERE had.word = asked.word)
  )
  SELECT found.product_id, sum(found.score)::real FROM (SELECT * FROM had UNION ALL SELECT * FROM guessed) AS found
  GROUP BY found.product_id HAVING count(*) = (SELECT count(*) FROM asked)
  ORDER BY 2 DESC, 1;
END $$;
