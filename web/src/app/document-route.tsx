import { DocumentPage } from "@/features/documents/document-page";
import { ByHandDialog } from "@/features/sources/add-by-hand";
import { EditDialog } from "@/features/sources/edit-dialog";

/** A document, with the forms of the sources put in: the two do not know each other. */
export function DocumentRoute() {
  return <DocumentPage EditSource={EditDialog} ByHand={ByHandDialog} />;
}
