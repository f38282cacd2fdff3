import { memo, use, useMemo, type CSSProperties, type ReactNode } from "react";
import { Badge, BadgesContext } from "@/components/evidence/badge";
import { ClaimWords } from "@/components/evidence/claim";
import { Formula } from "@/components/evidence/formula";
import { asWritten, splitBadges } from "@/lib/citation-places";
import { markClaims } from "@/lib/mark-claims";
import type { Block, ListItem } from "@/lib/markdown";
import { LONGEST_RUN, readInline, safeHref, wordsOf, type Inline } from "@/lib/markdown-inline";
import { useGradually } from "@/lib/use-gradually";
import styles from "@/components/evidence/cited-text.module.css";

const LINE_CHARS = 72;
const LINE_PX = 28;

/** One part of a text. It is drawn again only if its own words change. */
export const PartView = memo(
  function PartView({ raw, block, far }: { raw: string; block: Block; far: boolean }) {
    if (!far) return <BlockView block={block} />;
    const guess = `${Math.ceil(raw.length / LINE_CHARS) * LINE_PX}px`;
    return (
      <div className={styles.far} style={{ "--guess": guess } as CSSProperties}>
        <BlockView block={block} />
      </div>
    );
  },
  (before, after) => before.raw === after.raw && before.far === after.far,
);

function BlockView({ block }: { block: Block }) {
  switch (block.type) {
    case "paragraph":
      return block.text.length > LONGEST_RUN ? (
        <LongParagraph text={block.text} />
      ) : (
        <p>
          <Words text={block.text} />
        </p>
      );
    case "heading": {
      // The page and the question have the levels above.
      const Heading = block.level <= 2 ? "h3" : block.level === 3 ? "h4" : "h5";
      return (
        <Heading>
          <Words text={block.text} />
        </Heading>
      );
    }
    case "code":
      return <Code text={block.text} />;
    case "math":
      return <Formula text={block.text} display written={<Code text={block.text} />} />;
    case "rule":
      return <hr />;
    case "quote":
      return <blockquote>{blocks(block.blocks)}</blockquote>;
    case "list":
      return block.ordered ? <ol start={block.first}>{items(block.items)}</ol> : <ul>{items(block.items)}</ul>;
    case "table":
      return <TableView table={block} />;
  }
}

function blocks(all: readonly Block[]): ReactNode {
  return all.map((block, index) => <BlockView key={index} block={block} />);
}

function items(all: readonly ListItem[]): ReactNode {
  return all.map((item, index) => <Item key={index} raw={item.raw} item={item} />);
}

const Item = memo(
  function Item({ item }: { raw: string; item: ListItem }) {
    return (
      <li data-task={item.task ?? undefined}>
        {item.task !== null && (
          <span className={styles.box} role="img" aria-label={item.task ? "done" : "to do"}>
            {item.task ? "☑" : "☐"}
          </span>
        )}
        {blocks(item.blocks)}
      </li>
    );
  },
  (before, after) => before.raw === after.raw,
);

function TableView({ table: { aligns, head, rows } }: { table: Extract<Block, { type: "table" }> }) {
  const style = (column: number) => (aligns[column] ? { textAlign: aligns[column] } : undefined);
  return (
    // A region that scrolls has to be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.wide} tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, column) => (
              <th key={column} scope="col" style={style(column)}>
                <Words text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, column) => (
                <td key={column} style={style(column)}>
                  <Words text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Code({ text }: { text: string }) {
  const badges = use(BadgesContext);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre className={styles.code} tabIndex={0} aria-label="Code">
      <code>{asWritten(text, badges)}</code>
    </pre>
  );
}

const PIECE = 4000;
const PIECES_AT_ONCE = 8;

/** Words without end are set in pieces, of which only those near the window are laid out. */
function LongParagraph({ text }: { text: string }) {
  const pieces = useMemo(() => {
    const cut: string[] = [];
    for (let at = 0; at < text.length;) {
      let end = Math.min(at + PIECE, text.length);
      // Neither through a character nor through the sign of a badge; at a space, if there is one.
      const space = text.slice(at, end).lastIndexOf(" ");
      if (end < text.length && space > PIECE / 2) end = at + space + 1;
      const sign = text.slice(end - 12, end).lastIndexOf("\u2e28");
      if (end < text.length && sign >= 0) end += sign - 12;
      if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!)) end += 1;
      cut.push(text.slice(at, end));
      at = end;
    }
    return cut;
  }, [text]);
  const count = useGradually(pieces.length, PIECES_AT_ONCE);
  return pieces.slice(0, count).map((piece, index) => <Piece key={index} text={piece} />);
}

const Piece = memo(function Piece({ text }: { text: string }) {
  const nodes = useMemo(() => markClaims([{ type: "text", text }]), [text]);
  return <p className={styles.piece}>{inline(nodes)}</p>;
});

function Words({ text }: { text: string }) {
  const nodes = useMemo(() => markClaims(readInline(text)), [text]);
  return inline(nodes);
}

function inline(nodes: readonly Inline[]): ReactNode {
  return nodes.map((node, index) => <InlineView key={index} node={node} />);
}

function InlineView({ node }: { node: Inline }) {
  switch (node.type) {
    case "text":
      return signs(node.text);
    case "code":
      return <InlineCode text={node.text} />;
    case "math":
      return <Formula text={node.text} written={<InlineCode text={node.text} />} />;
    case "break":
      return <br />;
    case "strong":
      return <strong>{inline(node.children)}</strong>;
    case "em":
      return <em>{inline(node.children)}</em>;
    case "del":
      return <del>{inline(node.children)}</del>;
    case "link":
      return <Anchor href={node.href} words={wordsOf(node.children)} />;
    case "picture":
      return <Anchor href={node.href} words={node.alt || "picture"} />;
    case "claim":
      return (
        <ClaimWords claim={node.claim} correction={node.correction} isLast={node.isLast}>
          {inline(node.children)}
        </ClaimWords>
      );
  }
}

function InlineCode({ text }: { text: string }) {
  return <code>{asWritten(text, use(BadgesContext))}</code>;
}

/** A link out of the app. Badges inside it stand behind it, because a link holds no other. */
function Anchor({ href, words }: { href: string | null; words: string }) {
  const pieces = splitBadges(words);
  const text = pieces.filter((piece) => typeof piece === "string").join("");
  const badges = pieces.filter((piece) => typeof piece === "number");
  const target = href && safeHref(href.split("\u2e28")[0]!);
  return (
    <>
      {target ? (
        <a href={target} target="_blank" rel="noreferrer noopener">
          {text}
        </a>
      ) : (
        text
      )}
      {badges.map((at) => (
        <Badge key={at} at={at} />
      ))}
    </>
  );
}

function signs(text: string): ReactNode {
  const pieces = splitBadges(text);
  if (pieces.length === 1 && typeof pieces[0] === "string") return pieces[0];
  // A badge stays the same one, and keeps the focus, when a mark comes in before it.
  return pieces.map((piece) => (typeof piece === "number" ? <Badge key={`sign ${piece}`} at={piece} /> : piece));
}
