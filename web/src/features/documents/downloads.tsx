import { useState } from "react";
import { Collection } from "react-aria-components/Collection";
import { Header } from "react-aria-components/Header";
import { Menu, MenuItem, MenuSection, MenuTrigger } from "react-aria-components/Menu";
import { Popover } from "react-aria-components/Popover";
import { getEvidenceZip, getReferences, renderDocument } from "@/api/documents";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { ErrorNote } from "@/components/states";
import { useDesk } from "@/features/documents/desk";
import { fileName } from "@/features/documents/document-words";
import menus from "@/features/documents/menu.module.css";

interface Kind {
  id: string;
  name: string;
  ending: string;
  get: (document: string) => Promise<Blob>;
}

const GROUPS: readonly { name: string; kinds: readonly Kind[] }[] = [
  {
    name: "The document",
    kinds: [
      { id: "pdf", name: "PDF", ending: "pdf", get: (id) => renderDocument(id, "pdf") },
      { id: "html", name: "Web page", ending: "html", get: (id) => renderDocument(id, "html") },
      { id: "md", name: "Markdown", ending: "md", get: (id) => renderDocument(id, "md") },
      { id: "typ", name: "Typst", ending: "typ", get: (id) => renderDocument(id, "typ") },
    ],
  },
  {
    name: "Its references",
    kinds: [
      { id: "bibtex", name: "BibTeX", ending: "bib", get: (id) => getReferences(id, "bibtex") },
      { id: "ris", name: "RIS", ending: "ris", get: (id) => getReferences(id, "ris") },
      { id: "csl_json", name: "CSL-JSON", ending: "json", get: (id) => getReferences(id, "csl_json") },
    ],
  },
  { name: "Its evidence", kinds: [{ id: "evidence", name: "Evidence bundle", ending: "zip", get: getEvidenceZip }] },
];

/** What can be taken away. What was typed is saved first, so that it is in it. */
export function Downloads() {
  const { id, document: written, saver } = useDesk();
  const [making, setMaking] = useState<string | null>(null);
  const [failed, setFailed] = useState<unknown>(null);

  async function take(key: string) {
    const kind = GROUPS.flatMap(({ kinds }) => kinds).find((one) => one.id === key);
    if (!kind || making) return;
    setMaking(kind.name);
    try {
      await saver.flush();
      save(await kind.get(id), fileName(written.title, kind.ending));
    } catch (thrown) {
      setFailed(thrown);
    } finally {
      setMaking(null);
    }
  }

  return (
    <>
      <MenuTrigger>
        <Button look="primary" isDisabled={making !== null}>
          <span aria-live="polite">{making ? "Making…" : "Download"}</span>
        </Button>
        <Popover placement="bottom end" className={menus.popover}>
          <Menu aria-label="Download" className={menus.menu} items={GROUPS} onAction={(key) => void take(String(key))}>
            {(group) => (
              <MenuSection id={group.name} aria-label={group.name}>
                <Header className={menus.group}>{group.name}</Header>
                <Collection items={group.kinds}>
                  {(kind) => (
                    <MenuItem id={kind.id} textValue={kind.name} className={menus.item}>
                      <span>{kind.name}</span>
                      <span className={menus.note}>.{kind.ending}</span>
                    </MenuItem>
                  )}
                </Collection>
              </MenuSection>
            )}
          </Menu>
        </Popover>
      </MenuTrigger>
      {failed !== null && (
        <Dialog title="Download" onClose={() => setFailed(null)}>
          <ErrorNote error={failed} what="The file could not be made." />
        </Dialog>
      )}
    </>
  );
}

function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
