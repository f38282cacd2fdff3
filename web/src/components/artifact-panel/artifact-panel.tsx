import { useQuery } from "@tanstack/react-query";
import { artifactKeys, contentUrl, getArtifact } from "@/api/artifacts";
import { Preview } from "@/components/artifact-panel/preview";
import { LinkButton } from "@/components/button";
import { FullHash } from "@/components/hash";
import { Fact, Facts, SidePanel } from "@/components/side-panel";
import { ErrorNote, Skeleton } from "@/components/states";
import { Time } from "@/components/time";
import { formatCount, formatSize, humanise, shortHash } from "@/lib/format";

/** One artifact: what it is, what it says, and how to get it out again. */
export function ArtifactPanel({ sha256, onClose }: { sha256: string; onClose: () => void }) {
  const artifact = useQuery({
    queryKey: artifactKeys.one(sha256),
    queryFn: ({ signal }) => getArtifact(sha256, signal),
  });

  return (
    <SidePanel kind="File" onClose={onClose}>
      {artifact.isPending && <Skeleton label="Loading the file" />}
      {artifact.isError && (
        <ErrorNote
          error={artifact.error}
          what="The file could not be opened."
          onRetry={() => void artifact.refetch()}
        />
      )}
      {artifact.data && (
        <>
          <h2>{artifact.data.filename ?? shortHash(sha256)}</h2>
          <div>
            <LinkButton href={contentUrl(sha256)} download={artifact.data.filename ?? shortHash(sha256)}>
              Download
            </LinkButton>
          </div>
          <Preview key={sha256} artifact={artifact.data} />
          <Facts>
            <Fact name="Type">{artifact.data.media_type}</Fact>
            <Fact name="Size">
              {formatSize(artifact.data.size_bytes)}
              {artifact.data.size_bytes >= 1024 && ` (${formatCount(artifact.data.size_bytes)} bytes)`}
            </Fact>
            <Fact name="References">
              {artifact.data.reference_count === 0 ? "None yet" : formatCount(artifact.data.reference_count)}
            </Fact>
            <Fact name="Kept">
              <Time iso={artifact.data.created_at} />
            </Fact>
            {artifact.data.entity_type && <Fact name="Kind of source">{humanise(artifact.data.entity_type)}</Fact>}
            {Object.entries(artifact.data.entity_metadata ?? {}).map(([key, value]) => (
              <Fact key={key} name={humanise(key)}>
                {typeof value === "string" ? value : JSON.stringify(value)}
              </Fact>
            ))}
            <Fact name="SHA-256">
              <FullHash sha256={sha256} />
            </Fact>
            <Fact name="Stored at">{artifact.data.storage_uri}</Fact>
          </Facts>
        </>
      )}
    </SidePanel>
  );
}
