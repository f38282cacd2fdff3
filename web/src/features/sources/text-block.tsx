import { memo, type CSSProperties, type ReactNode } from "react";
import { overlap, type Block, type Piece, type Stretch } from "@/features/sources/text-layout";
import styles from "@/features/sources/source-text.module.css";

const LINE_CHARS = 64;
const LINE_PX = 28;
const GAP_PX = 16;

interface Props {
  block: Block;
  text: string;
  span: Stretch | null;
  /** The id of the first marked words, if they are in this block. */
  anchor: string | undefined;
}

/** Only what is near the window is laid out; the browser's own search still finds the words of the rest. */
export const TextBlock = memo(function TextBlock({ block, text, span, anchor }: Props) {
  const first = block.pieces.find((piece) => overlap(piece, span));
  return (
    <section
      className={block.label === null ? styles.block : `${styles.block} ${styles.divided}`}
      style={{ "--guess": guess(block) } as CSSProperties}
    >
      {block.label !== null && <div className={styles.label}>{block.label}</div>}
      <div className={styles.pieces}>
        {block.pieces.map((piece) => (
          <PieceOf
            key={piece.start}
            piece={piece}
            text={text}
            span={span}
            anchor={piece === first ? anchor : undefined}
          />
        ))}
      </div>
    </section>
  );
});

function PieceOf({
  piece,
  text,
  span,
  anchor,
}: {
  piece: Piece;
  text: string;
  span: Stretch | null;
  anchor: string | undefined;
}) {
  const from = piece.start + piece.prefix;
  const prefix = { start: piece.start, end: from };
  // The anchor is on whatever of the piece is marked first.
  const inPrefix = overlap(prefix, span) !== null;
  const words = marked(text, { start: from, end: piece.end }, span, inPrefix ? undefined : anchor);
  return (
    <>
      {piece.above.map(({ label, level }) => (
        <SectionHeading key={`${level} ${label}`} level={level} quiet>
          {label}
        </SectionHeading>
      ))}
      {piece.kind === "heading" && (
        <SectionHeading level={piece.level}>
          {piece.prefix > 0 && (
            <span className={styles.prefix} aria-hidden="true">
              {marked(text, prefix, span, anchor)}
            </span>
          )}
          {words}
        </SectionHeading>
      )}
      {piece.kind === "paragraph" && <p>{words}</p>}
      {piece.kind === "row" && <p className={styles.row}>{words}</p>}
    </>
  );
}

/** One below the page's own heading. */
function SectionHeading({ level, quiet = false, children }: { level: number; quiet?: boolean; children: ReactNode }) {
  const Tag = `h${Math.min(6, Math.max(2, level + 1))}` as "h2";
  return <Tag className={quiet ? styles.quiet : styles.heading}>{children}</Tag>;
}

function marked(text: string, stretch: Stretch, span: Stretch | null, anchor: string | undefined): ReactNode {
  const part = overlap(stretch, span);
  if (!part) return text.slice(stretch.start, stretch.end);
  return (
    <>
      {text.slice(stretch.start, part.start)}
      <mark id={anchor} className={styles.mark}>
        {text.slice(part.start, part.end)}
      </mark>
      {text.slice(part.end, stretch.end)}
    </>
  );
}

/** About how high a block will be, so that the scroll bar tells the truth. */
function guess({ pieces }: Block): string {
  const height = pieces.reduce(
    (sum, { start, end }) => sum + Math.ceil((end - start) / LINE_CHARS) * LINE_PX + GAP_PX,
    0,
  );
  return `${height}px`;
}
