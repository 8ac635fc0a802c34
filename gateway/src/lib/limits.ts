/** Limits, each named once. Times in milliseconds unless the name says otherwise. */
export const LIMITS = {
  /** Largest request body, bytes (contract: 256 KiB). */
  bodyBytes: 256 * 1024,
  /** Largest file that is evidence in a dispute, bytes; files of one dispute, and of an account; bytes of an account. */
  evidenceBytes: 5 * 1024 * 1024,
  evidenceOfBlock: 10,
  evidenceOfAccount: 10_000,
  evidenceOfAccountBytes: 2 * 1024 * 1024 * 1024,
  /** Notes of a charge. */
  notesOfCharge: 50,
  /** Charges that the figures of a project or a QR code count, 50 of which are a page: some 0.1 s of one connection at most. */
  figureCharges: 1_000,
  /** Files that a process receives at one time, and of one account. */
  uploads: 8,
  uploadsOfAccount: 2,
  /** A body counts as one more call for each of these bytes. The interface's own examples are all smaller. */
  bytesOfCall: 32 * 1024,
  /** Largest body of a caller without a token, bytes. */
  strangerBodyBytes: 8 * 1024,
  /**
   * Values of a body that no schema names, or that are in free objects (16 KiB of metadata hold no more): with one more the
   * body is refused unread.
   */
  bodyStrangeValues: 100,
  bodyFreeValues: 8 * 1024,
  /** Query parameters of a request. */
  queryParameters: 100,
  /** Reads of one round of the console, bytes of their addresses, and bytes of their answers in all: Home's are some 30 KiB. */
  roundCalls: 10,
  roundBytes: 4 * 1024,
  roundAnswerBytes: 256 * 1024,
  /** Errors that a refusal of a body lists. */
  issues: 20,
  /** Largest `metadata` of an object, bytes of its JSON, and its keys (contract: 16 KB and 50). */
  metadataBytes: 16 * 1024,
  metadataKeys: 50,
  /** Characters of a Pix code, as many as are read of an institution: they send up to 230. */
  pixCode: 1_024,
  /** Bytes of a page's items as JSON, beyond which it ends early with a cursor. */
  pageBytes: 512 * 1024,
  /** Days from today to the due date of a charge. */
  dueDaysAhead: 1_826,
  /** Days of one answer about what a charge costs on which day. */
  previewDays: 100,
  /** Changes of the terms of one charge with a due date: each is kept. */
  dueEdits: 50,
  /** Requests of one edit of a due date without an answer; afterwards the institution's charge is only read. */
  dueEditRequests: 20,
  /** Refunds of one payment that are under way or confirmed. */
  refundsPerPayment: 20,
  /** From this age on, a charge or Pix that its institution does not know is not merely shown late. */
  absentAge: 120_000,
  /** Changes of the amount of one balance block: each is kept. */
  blockChanges: 100,
  /** Webhook endpoints of a wallet that are not deleted. */
  endpointsPerWallet: 20,
  /** Deepest nesting of a request body. */
  bodyDepth: 32,
  /**
   * Time for a request's head, and for the whole request; a slower client loses its connection. Then the interval of that
   * check.
   */
  requestHead: 5_000,
  requestWhole: 10_000,
  requestCheck: 1_000,
  /**
   * Time in which a client must take more of its answer, or it loses its connection. The kernel reports progress in thirds
   * of its buffer, up to 1.4 MB: a client that reads 24 KB a second is never cut.
   */
  answerProgress: 60_000,
  /**
   * Bytes of answers to merchants' reads that all clients together may leave unread, less where the heap is small; then
   * what a streamed answer counts as: 100 rows with 16 KiB of metadata, as rows and as text.
   */
  unreadBytes: 128 * 1024 * 1024,
  streamBytes: 4 * 1024 * 1024,
  /** Requests of one connection that wait for their answers. */
  pipelined: 100,
  /** Open connections of one client address (PIXGATE_CONNECTIONS_PER_ADDRESS), and of all together (PIXGATE_CONNECTIONS). */
  connectionsPerAddress: 256,
  /** Connections beyond those of an address, each for one notification of an institution. */
  connectionsReserved: 16,
  connections: 10_000,
  /** Access token lifetime and the leeway when it is checked, seconds. */
  tokenSeconds: 300,
  tokenLeewaySeconds: 5,
  /** Oldest and newest age of a balance that an operator may enter: what has moved since then is read line by line. */
  enteredBalanceAge: 7 * 86_400_000,
  enteredBalanceSettle: 60_000,
  /**
   * How often a process compares its clock with the database's. With a difference beyond the leeway of tokens it refuses
   * calls.
   */
  clockCheck: 2_000,
  /** Verified tokens that a process caches. */
  tokenCache: 20_000,
  /** Buckets of each kind of rate limit (credentials, addresses) that a process keeps; about 100 bytes each. */
  rateLimitBuckets: 50_000,
  /** How long a process caches a credential: a revocation takes effect within this time. */
  credentialCache: 1_000,
  /** Days for which it is stored how institutions answered. */
  healthDays: 35,
  /** Days for which files of the console are kept after the last start of a process that has them. */
  consoleFileDays: 90,
  /** Most withdrawals that are counted behind a brake; about 10 ms for all of them. */
  brakeCounted: 10_000,
  /** How long a process caches the institutions of an account. */
  institutionCache: 1_000,
  /** How long a process uses what it read of the money that institutions hold, to choose the one that pays. */
  institutionFunds: 2_000,
  /** How long a process uses what it read of the tariff of an institution's latest payout. */
  payoutTariff: 60_000,
  /** How long a call to an institution waits for its turn within the limits of its bank; then it is not made. */
  callTurn: 2_000,
  /** How often the end of a restore waits that long for the turn of one of its queries: ten minutes. */
  restoreTurns: 300,
  /** How often at most a process reads the institutions again before it says that there is none. */
  institutionReread: 100,
  /** How long a second call with the Idempotency-Key of a running call waits for the first. */
  idempotencyWait: 10_000,
  /** How long a call may work on a key before another may continue it. Longer than any call. */
  idempotencyLease: 30_000,
  idempotencyKeepHours: 24,
  /** How long a charge's creation may take with all its calls to the PSP. */
  chargeCreation: 20_000,
  /**
   * How long after its payment a Pix without a payer is left to its notification, where a policy depends on the payer.
   * Notifications come within seconds; a list is polled every 20 s.
   */
  payerGrace: 30_000,
  /** How long after its payment a Pix can be given back, by us or by its institution (API Pix: 90 days). */
  returnWindow: 90 * 86_400_000,
  /**
   * How long an institution that has accepted a MED case may take to show its return, and by when a person must have acted.
   */
  medReturnOverdue: 86_400_000,
  medReturnDeadline: 7 * 86_400_000,
  /**
   * How long an institution may hold a payment by itself where it names no end (Resolução BCB 506: 72 hours), and how long
   * after the end a case is opened if it has not said how it decided. Its list is polled every half minute, and the bank may
   * enter its decisions a working day late.
   */
  precautionaryHold: 72 * 3_600_000,
  precautionaryOverdue: 12 * 3_600_000,
  /** How long a wallet may be below zero before a person is asked to decide. */
  walletDebtOverdue: 7 * 86_400_000,
  /** How long a withdrawal may wait for its approval; then it fails, and its money is available again. */
  approvalWait: 30 * 86_400_000,
  /** How long one institution may take to issue a charge while another one could issue it. */
  failoverAfter: 3_000,
  /** Most accounts in the books of merchants, three of each wallet, whose balances one page of a list of merchants sums. */
  balancesSummed: 30_000,
  /** How long `POST /sandbox/*` waits until the gateway has booked what the simulator did. */
  sandboxWait: 10_000,
  /** How long DNS servers have to resolve a webhook endpoint's name. */
  nameLookup: 3_000,
  /**
   * Connections to PostgreSQL: for calls and loops; for reads of history; for reads of whole tables; and one for readiness.
   * Money and readiness never wait for a connection that a read of history uses.
   */
  dbConnections: 12,
  dbHistoryConnections: 2,
  dbWholeConnections: 2,
  /** How long a job that reads whole tables waits for its turn, and how many days after its beginning it is kept. */
  jobWait: 6 * 3_600_000,
  jobDays: 30,
  /** Calls of an account that may read history at one time, and how long the next one waits for one of them. */
  readsOfAccount: 8,
  readsWait: 5_000,
  /**
   * What a stream's page may have missed and still gets: since this time, milliseconds, and this many events (130 bytes
   * each). Otherwise it reloads.
   */
  streamMissed: 10 * 60_000,
  streamMissedEvents: 200,
  /** A payout without an outcome for this long since its last change is a case for a person. */
  payoutUnresolved: 30 * 60_000,
  /** The same for a payout that its bank analyses, which takes 30 to 60 minutes. */
  payoutAnalysed: 90 * 60_000,
  /**
   * A payout that its bank can find by an id of its own only, and whose answer with that id was lost, is repeated for this
   * long: no bank documents how long it recognises a repeat; a day is usual. Afterwards a person decides.
   */
  payoutRepeats: 60 * 60_000,
  /**
   * A payout at a bank that knows no repeat (`list_first`) is sent again only after the bank's list has not shown it for so long:
   * longer than a list lags, and shorter than the 15 minutes for which Asaas itself refuses the same amount and key.
   */
  payoutListed: 5 * 60_000,
  /**
   * A payout of a bank that pays in two steps is prepared this often while no answer brings its id. Each moves no money, and stays
   * at the bank as one that nobody authorises. Afterwards a person decides.
   */
  payoutPreparations: 3,
  /** How long the check of a bank makes calls; the calls after that are not made. Each has its adapter's own time-out. */
  bankCheck: 60_000,
  /** How far a bank's clock may be from ours: beyond it Pix are looked for in the wrong minute. */
  bankClockSkew: 60_000,
  /** A return without an outcome for this long since it left, or was last retried, is a case for a person. */
  returnUnresolved: 30 * 60_000,
  /**
   * How long a notification or the query of a charge may wait before it counts as overdue; then a delivery, whose receiver
   * may be slow.
   */
  queueOverdue: 5 * 60_000,
  deliveriesOverdue: 15 * 60_000,
  /** How long a process may take to execute an approved proposal before the loop does it. Longer than any execution. */
  caseExecution: 60_000,
  /** Open streams of changes: of a person, of an account, and of a process. */
  streamsOfPerson: 12,
  streamsOfAccount: 200,
  streams: 2_000,
  /** Open streams of payers' pages, of one address and of a process, and how long one stays open, milliseconds. */
  payerStreamsOfAddress: 100,
  payerStreams: 2_000,
  payerStream: 600_000,
  /** Receipts as PDF that one network may ask for: each is some 20 ms of work. */
  receipts: { perSecond: 1 / 5, burst: 10 },
  /** Fields of a form, and seconds for which a charge of a payment link can be paid. */
  formFields: 24,
  linkChargeSeconds: 1_800,
  /** Days after which what a payer filled in on a link's page is erased, where the charge ended unpaid. */
  abandonedFormDays: 30,
  /** Payments of a link up to which each check of what is new counts them again; about 20 ms. */
  linkCounted: 10_000,
  /** Payment links of an account that are active, and QR codes of a wallet that are not deleted. */
  activeLinks: 10_000,
  codesPerWallet: 1_000,
  /** How often a QR code can be made active again: each time in which it was disabled is kept, 60 bytes. */
  codeOffPeriods: 1_000,
  /** Charges of payment links that one network may make, and charges of one link that can be paid at one time. */
  linkStarts: { perSecond: 1 / 15, burst: 20 },
  linkPending: 1_000,
  /** Charges of one link that one network may have at one time, as far as a process remembers, and networks that it remembers. */
  linkPendingOfNetwork: 20,
  linkNetworks: 10_000,
  /** After how many seconds a payer may try again where a link, or a network, has as many charges as it may have. */
  linkRetrySeconds: 60,
  /** How long a sign-in counts as fresh, for calls that move money or show a secret. */
  sessionFresh: 5 * 60_000,
  /**
   * Attempts for passwords within the window: for one address from one network (or one known device or session), for one
   * address from everywhere, and of a network of strangers over all addresses.
   */
  guessesOfNetwork: 10,
  guessesOfPerson: 100,
  guessesOfStrangers: 100,
  /** Attempts for a code of the second factor by somebody who knows the password, from everywhere, within the window. */
  guessesOfCode: 10,
  /** Failed answers of passkeys from one network, within the window. */
  guessesOfPasskey: 30,
  guessWindow: 15 * 60_000,
  /**
   * Places in the queue for hashes of passwords: for strangers and, as many, for known devices; then for one network or
   * device.
   */
  hashesWaiting: 16,
  hashesOfNetwork: 4,
  /** Sign-in calls without a session that a process works on at one time, and of one network. */
  strangersAtOnce: 64,
  strangersOfNetwork: 16,
  /** How long a passkey or the company's provider may take to answer a challenge. */
  signInChallenge: 5 * 60_000,
  /** Days for which a session that has ended, and a link that was used or has expired, is kept. */
  signInDays: 90,
  /** How long the company's provider may take to answer, and how long its metadata is cached. */
  providerAnswer: 5_000,
  providerMetadata: 3_600_000,
  /** How long the secret of a new authenticator waits for its first code. */
  pendingAuthenticator: 10 * 60_000,
  /** Passkeys of a person. */
  passkeysOfPerson: 20,
  /** Open invitations to an account, and to the installation. One more is refused, so that a list always shows all. */
  invitationsOfPlace: 500,
  /** Notices of a person in a list, and how many about renamed passkeys in addition. */
  noticesListed: 100,
  renamesListed: 10,
  /**
   * Mails about notices: rows of a person that a process claims at once, and the lease; time for an answer of the mail
   * server; mails to a person in an hour; the pause after them and the longest pause between attempts; and the age after
   * which nothing is tried any more.
   */
  mailBatch: 100,
  mailLease: 120_000,
  mailAnswer: 15_000,
  mailsOfPerson: 20,
  mailPause: 15 * 60_000,
  mailGivenUp: 86_400_000,
  /** How long an invitation and the sandbox's first link work. */
  invitation: 7 * 86_400_000,
  firstLink: 86_400_000,
  /** How long a recovery link is valid. */
  recoveryLink: 86_400_000,
  /**
   * The request log of a process: how long rows wait to be written together, how many wait at most, and how many an account
   * may have in that time, of successful and of failed requests.
   */
  requestLogPause: 1_000,
  requestLogRows: 5_000,
  requestsLogged: 20,
  /** Time for work under way when the process has to stop. */
  shutdown: 8_000,
} as const;
