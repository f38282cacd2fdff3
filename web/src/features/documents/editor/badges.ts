import { RangeSetBuilder, StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from "@codemirror/view";
import type { DocumentFormat } from "@/api/types";
import { findMarkers } from "@/features/documents/markers";
import type { Standing } from "@/lib/citation-words";

/** How a citation is shown in the text. */
export interface BadgeLook {
  /** What a screen reader says. */
  label: string;
  /** `dangling` for a number that nothing is cited by. */
  standing: Exclude<Standing, "changed" | "unverifiable"> | "dangling";
}

/** By number; null until the citations are known, because until then none is known to be missing. */
export type BadgeLooks = ReadonlyMap<number, BadgeLook> | null;

export const setBadges = StateEffect.define<BadgeLooks>();

const looksField = StateField.define<BadgeLooks>({
  create: () => null,
  update(looks, transaction) {
    for (const effect of transaction.effects) if (effect.is(setBadges)) return effect.value;
    return looks;
  },
});

class Badge extends WidgetType {
  constructor(
    readonly number: number,
    readonly look: BadgeLook,
  ) {
    super();
  }

  override eq(other: Badge): boolean {
    return (
      other.number === this.number && other.look.label === this.look.label && other.look.standing === this.look.standing
    );
  }

  override toDOM(): HTMLElement {
    const place = document.createElement("span");
    place.className = "cm-citation";
    const badge = document.createElement("button");
    badge.type = "button";
    badge.textContent = this.look.standing === "dangling" ? `${this.number}?` : String(this.number);
    badge.dataset.citation = String(this.number);
    badge.dataset.standing = this.look.standing;
    // By this, the keys j, k and o find it.
    badge.dataset.row = "";
    badge.setAttribute("aria-label", this.look.label);
    place.append(badge);
    return place;
  }
}

function draw(view: EditorView, format: DocumentFormat): DecorationSet {
  const looks = view.state.field(looksField);
  const built = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    // Whole lines, so that none is cut through.
    const [start, end] = [view.state.doc.lineAt(from).from, view.state.doc.lineAt(to).to];
    for (const marker of findMarkers(view.state.sliceDoc(start, end), format, start)) {
      const look = looks?.get(marker.number) ?? {
        label: looks ? `citation ${marker.number}, nothing is cited` : `citation ${marker.number}`,
        standing: looks ? ("dangling" as const) : ("unchecked" as const),
      };
      built.add(marker.from, marker.to, Decoration.replace({ widget: new Badge(marker.number, look) }));
    }
  }
  return built.finish();
}

/** Shows each citation as its number, which the cursor goes over in one step. */
export function badges(format: DocumentFormat): Extension {
  const plugin = ViewPlugin.fromClass(
    class {
      drawn: DecorationSet;
      constructor(view: EditorView) {
        this.drawn = draw(view, format);
      }
      update(update: ViewUpdate) {
        const renewed = update.startState.field(looksField) !== update.state.field(looksField);
        if (update.docChanged || update.viewportChanged || renewed) this.drawn = draw(update.view, format);
      }
    },
    {
      decorations: (value) => value.drawn,
      provide: (own) => EditorView.atomicRanges.of((view) => view.plugin(own)?.drawn ?? Decoration.none),
    },
  );
  return [looksField, plugin];
}
