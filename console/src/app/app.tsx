import { MantineProvider } from "@mantine/core";
import { ApiError } from "@pixgate/sdk";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { Router } from "wouter";
import type { Session } from "../session/calls.ts";
import { LiveProvider } from "../session/live.tsx";
import { SessionProvider } from "../session/session.tsx";
import { SignIn } from "../session/sign-in.tsx";
import { Routes } from "./routes.tsx";
import { Shell } from "./shell.tsx";
import { theme } from "./theme.ts";

export function App({ first, refused, nonce }: { first: Session | null; refused: unknown; nonce: string }) {
  const [session, setSession] = useState(first);
  const [queries] = useState(() => createQueries(() => setSession(null)));
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        {session === null ? (
          <SignIn refused={refused} onSession={setSession} />
        ) : (
          <Router base="/console">
            <SessionProvider session={session}>
              <LiveProvider>
                <Shell>
                  <Routes />
                </Shell>
              </LiveProvider>
            </SessionProvider>
          </Router>
        )}
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** The SDK retries by itself; a session that ended shows the sign-in page. */
function createQueries(onSignedOut: () => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (error instanceof ApiError && error.status === 401) onSignedOut();
      },
    }),
    defaultOptions: { queries: { retry: false, staleTime: 2_000 } },
  });
}
