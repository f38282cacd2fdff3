import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getSample, listSampleSources, loadSample, removeSample, sampleKeys } from "@/api/sample";
import { sourceKeys } from "@/api/sources";
import { stepOf } from "@/features/sample/sample-step";

const LOOK_MS = 300;

/** The sample library: what it is, and how far it has come in. */
export function useSample() {
  const about = useQuery({ queryKey: sampleKeys.about, queryFn: ({ signal }) => getSample(signal), staleTime: 30_000 });
  const isLoaded = (about.data?.loaded ?? 0) > 0;
  const sources = useQuery({
    queryKey: sampleKeys.sources,
    queryFn: ({ signal }) => listSampleSources(signal),
    enabled: isLoaded,
    refetchInterval: ({ state: { data } }) => (data?.some(({ status }) => status === "pending") ? LOOK_MS : false),
  });
  return { about, sources: isLoaded ? sources.data : undefined, step: stepOf(about.data, sources.data) };
}

/** Brings the sample library in. */
export function useLoadSample() {
  const queries = useQueryClient();
  return useMutation({
    mutationKey: sampleKeys.about,
    mutationFn: loadSample,
    onSuccess: async (items) => {
      queries.setQueryData(sampleKeys.sources, items);
      await queries.invalidateQueries({ queryKey: sampleKeys.about });
      await queries.invalidateQueries({ queryKey: sourceKeys.all });
    },
  });
}

export function useRemoveSample(onRemoved: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: removeSample,
    onSuccess: async () => {
      onRemoved();
      queries.removeQueries({ queryKey: sampleKeys.sources });
      await queries.invalidateQueries({ queryKey: sampleKeys.about });
      await queries.invalidateQueries({ queryKey: sourceKeys.all });
    },
  });
}
