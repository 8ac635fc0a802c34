import { ApiError, type PixgateOperator } from "@pixgate/sdk";

type Asked = {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly search?: string | undefined;
  readonly dependsOn?: string | undefined;
};

/** A page of accounts, with their balances for those who may read them. */
export async function readAccounts({ accounts }: PixgateOperator, asked: Asked, readsMoney: boolean) {
  const bare = () => accounts.list(asked).page();
  if (!readsMoney) return bare();
  return accounts
    .list({ ...asked, balance: true })
    .page()
    .catch((error: unknown) => {
      // During an upgrade a process of 0.1.0, which has no balances here, refuses the word.
      if (error instanceof ApiError && error.code === "VALIDATION_ERROR") return bare();
      throw error;
    });
}
