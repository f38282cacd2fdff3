import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { router } from "@/app/router";
import { Problem } from "@/lib/problem";
import "@/app/tokens.css";
import "@/app/base.css";

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the server refused it will refuse again; what did not reach it is worth two more tries.
      retry: (failures, error) => failures < 2 && Problem.from(error).status === 0,
      retryDelay: (attempt) => 300 * 2 ** attempt,
      // The server may be on this machine with no network at all.
      networkMode: "always",
    },
    mutations: { networkMode: "always" },
  },
});

const element = document.getElementById("root");
if (!element) throw new Error("index.html has no #root");
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
