import { SampleLine } from "@/features/sample/sample-line";
import { SampleWay } from "@/features/sample/sample-way";
import { SourcesPage } from "@/features/sources/sources-page";

/** The sources, with the sample library put in: the two do not know each other. */
export function SourcesRoute() {
  return <SourcesPage way={<SampleWay />} line={<SampleLine />} />;
}
