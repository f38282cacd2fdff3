import { AskPage } from "@/features/ask/ask-page";
import { SampleQuestions } from "@/features/sample/sample-questions";
import { SampleWay } from "@/features/sample/sample-way";
import { AddressForm } from "@/features/sources/add-address";

/** The place to ask, with what others have put in: the sources' form for an address, and the sample library. */
export function AskRoute() {
  return <AskPage AddressForm={AddressForm} SampleWay={SampleWay} SampleQuestions={SampleQuestions} />;
}
