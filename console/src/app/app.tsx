import { MantineProvider } from "@mantine/core";
import { QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { Router } from "wouter";
import { Boundary } from "../parts/boundary.tsx";
import { isRefusal, type Opened } from "../session/calls.ts";
import { LiveProvider } from "../session/live.tsx";
import { renewToken } from "../session/presence.ts";
import { pressed } from "../session/pressed.ts";
import { createChanges, joinRefusals, type Refused, refusedRead } from "../session/refused.ts";
import { SessionProvider } from "../session/session.tsx";
import { noteAnswer, noteFailure } from "../session/silence.ts";
import { withTexts } from "../texts/language.ts";
import { Routes } from "./routes.tsx";
import { Shell } from "./shell.tsx";
import { theme } from "./theme.ts";

// Who is signed in and has just confirmed it needs none of these: the first page is 6.5 kB smaller, gzipped.
const SignIn = lazy(() => withTexts(() => import("../session/sign-in.tsx"), "screens"));
const Enrol = lazy(() => withTexts(() => import("../session/enrol.tsx"), "screens"));
const UseLink = lazy(() => withTexts(() => import("../session/use-link.tsx"), "screens"));
const ConfirmSignIn = lazy(() => withTexts(() => import("../session/confirm.tsx"), "screens"));

export function App({ first, refused, nonce }: { first: Opened; refused: unknown; nonce: string }) {
  const [session, setSession] = useState(first.session);
  const [link, setLink] = useState(first.link);
  const [signsIn, setSignsIn] = useState(first.link === null);
  const [refusal, setRefusal] = useState<Refused | null>(null);
  const [queries] = useState(() =>
    createQueries(
      () => setSession(null),
      (next) => setRefusal((now) => joinRefusals(now, next)),
    ),
  );
  // Who signs in next confirms nothing that somebody else asked for, though it was refused after they had left.
  const isSignedIn = session !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever comes or leaves
  useEffect(() => setRefusal(null), [isSignedIn]);
  return (
    <Look nonce={nonce}>
      <QueryClientProvider client={queries}>
        <Boundary isScreen>
          <Suspense>
            {link !== null && (session !== null || !signsIn) ? (
              <UseLink
                session={session}
                token={link}
                onSignIn={() => setSignsIn(true)}
                onDone={(next) => {
                  setSession(next);
                  setLink(null);
                }}
              />
            ) : session === null ? (
              <SignIn refused={refused} onSession={setSession} />
            ) : session.missing.length > 0 ? (
              <Enrol session={session} onSession={setSession} />
            ) : (
              <Router base="/console">
                <SessionProvider session={session} onSession={setSession}>
                  <LiveProvider>
                    <Shell>
                      <Routes />
                    </Shell>
                  </LiveProvider>
                  {refusal !== null && (
                    <Boundary>
                      <Suspense>
                        <ConfirmSignIn
                          session={session}
                          act={refusal.act}
                          onClose={() => setRefusal(null)}
                          onSession={(next) => {
                            renewToken(session.csrfToken, next.csrfToken);
                            setSession(next);
                            setRefusal(null);
                            refusal.repeat();
                          }}
                        />
                      </Suspense>
                    </Boundary>
                  )}
                </SessionProvider>
              </Router>
            )}
          </Suspense>
        </Boundary>
      </QueryClientProvider>
    </Look>
  );
}

/** Mantine writes all of its variables itself: as a sheet they would be another 4 kB before Home. */
function Look({ nonce, children }: { nonce: string; children: ReactNode }) {
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
      deduplicateCssVariables={false}
    >
      {children}
    </MantineProvider>
  );
}

/** The SDK retries by itself; a session that ended shows the sign-in page, one that is not fresh asks for the password. */
function createQueries(onSignedOut: () => void, onNotFresh: (refused: Refused) => void): QueryClient {
  const onError = (error: Error, refused: Refused) => {
    if (!isRefusal(error)) return;
    if (error.status === 401 && error.code !== "INVALID_CREDENTIALS") onSignedOut();
    if (error.code === "FRESH_SIGN_IN_REQUIRED") onNotFresh(refused);
  };
  return new QueryClient({
    queryCache: new QueryCache({
      onSuccess: noteAnswer,
      onError: (error, query) => {
        noteFailure(error);
        onError(error, refusedRead(query));
      },
    }),
    mutationCache: createChanges(pressed, onError),
    // A browser that calls itself offline may still reach a gateway on its own machine or network.
    defaultOptions: {
      queries: { retry: false, staleTime: 2_000, networkMode: "always", refetchOnReconnect: true },
      mutations: { networkMode: "always" },
    },
  });
}
