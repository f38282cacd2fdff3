import { SampleSetting } from "@/features/sample/sample-setting";
import { SettingsPage } from "@/features/settings/settings-page";

/** The settings, with the sample library put in: the two do not know each other. */
export function SettingsRoute() {
  return <SettingsPage sample={<SampleSetting />} />;
}
