import { AskPage } from "@/features/ask/ask-page";
import { AddressForm } from "@/features/sources/add-address";

/** The place to ask, with the sources' form for an address put in: the two do not know each other. */
export function AskRoute() {
  return <AskPage AddressForm={AddressForm} />;
}
