/** True in a run of `npm run test:cluster`, whose global set-up has started or reached a coordinator and its workers. */
export const ON_CLUSTER = Boolean(process.env.PIXGATE_TEST_CLUSTER);

/** Why a test of a cluster is skipped. */
export const NEEDS_CLUSTER = ON_CLUSTER ? false : "needs a cluster: npm run test:cluster";

/** Why a test of one PostgreSQL alone is skipped. */
export const skippedOnCluster = (why: string): string | false => ON_CLUSTER && why;
