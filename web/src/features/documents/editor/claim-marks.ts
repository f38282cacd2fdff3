import { RangeSet, RangeValue, StateEffect, StateField, type EditorState } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";
import { CLAIM_WORDS, type ClaimMark } from "@/features/documents/claims";

class Claim extends RangeValue {
  constructor(readonly claim: Pick<ClaimMark, "kind" | "text">) {
    super();
  }
}

export const setClaims = StateEffect.define<readonly ClaimMark[]>();

/** They move with the text until the next check says anew where they are. */
const claimsField = StateField.define<RangeSet<Claim>>({
  create: () => RangeSet.empty,
  update(claims, transaction) {
    for (const effect of transaction.effects) {
      if (!effect.is(setClaims)) continue;
      const length = transaction.newDoc.length;
      const within = effect.value.filter(({ from, to }) => from < to && to <= length);
      return RangeSet.of(
        within.map(({ kind, text, from, to }) => new Claim({ kind, text }).range(from, to)),
        true,
      );
    }
    return transaction.docChanged ? claims.map(transaction.changes) : claims;
  },
  provide: (field) =>
    EditorView.decorations.from(field, (claims) => {
      const marks: { at: number; claim: Claim["claim"] }[] = [];
      for (const cursor = claims.iter(); cursor.value; cursor.next())
        if (cursor.from < cursor.to) marks.push({ at: cursor.to, claim: cursor.value.claim });
      return Decoration.set(
        marks.map(({ at, claim }) => Decoration.widget({ widget: new Mark(claim), side: 1 }).range(at)),
        true,
      );
    }),
});

/** A thin line in the margin, at the height of the sentence's end. What it means is told by its form and its name. */
class Mark extends WidgetType {
  constructor(readonly claim: Claim["claim"]) {
    super();
  }

  override eq(other: Mark): boolean {
    return other.claim.kind === this.claim.kind && other.claim.text === this.claim.text;
  }

  override toDOM(): HTMLElement {
    const place = document.createElement("span");
    place.className = "cm-claim";
    const mark = document.createElement("button");
    mark.type = "button";
    mark.dataset.claim = this.claim.kind;
    mark.title = CLAIM_WORDS[this.claim.kind];
    mark.setAttribute("aria-haspopup", "dialog");
    mark.setAttribute(
      "aria-label",
      `${CLAIM_WORDS[this.claim.kind].toLowerCase()}: ${this.claim.text.replace(/\s+/g, " ").trim()}`,
    );
    place.append(mark);
    return place;
  }
}

/** The sentences that end where a mark stands, which are where they are now. */
export function claimsAt(state: EditorState, at: number): ClaimMark[] {
  const found: ClaimMark[] = [];
  for (const cursor = state.field(claimsField).iter(); cursor.value; cursor.next()) {
    if (cursor.to === at) found.push({ ...cursor.value.claim, from: cursor.from, to: cursor.to });
  }
  return found;
}

export const claimMarks = claimsField;
