import { CopyButton } from "@/components/copy-button";
import { shortHash } from "@/lib/format";
import styles from "@/components/hash.module.css";

/** All 64 digits in groups of eight, so that an eye can compare them; copied without the gaps. */
export function FullHash({ sha256 }: { sha256: string }) {
  return (
    <div className={styles.full}>
      <code className={styles.digits}>{sha256.match(/.{1,8}/g)?.join(" ")}</code>
      <CopyButton text={sha256} label="Copy hash" />
    </div>
  );
}

export function ShortHash({ sha256 }: { sha256: string }) {
  return (
    <code className={styles.short} title={sha256}>
      {shortHash(sha256)}
    </code>
  );
}
