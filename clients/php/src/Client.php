<?php

declare(strict_types=1);

namespace Pixgate;

use Pixgate\Operations\Operations;
use Pixgate\Operations\Refunds;
use Pixgate\Operations\Transactions;
use Pixgate\Operations\Withdrawals;

/**
 * The merchants' API.
 *
 *     $pixgate = new Client($baseUrl, $clientId, $clientSecret);
 *     $charge = $pixgate->charges->create(['amount' => 25.9, 'description' => 'Order 1042']);
 *
 * It fetches its token once and renews it before it ends. Every POST carries an `Idempotency-Key`, so that a retry never acts
 * twice. Answers are arrays as the API sends them.
 *
 * @property WaitableTransactions $transactions
 * @property WaitableWithdrawals $withdrawals
 * @property WaitableRefunds $refunds
 */
final class Client extends Operations
{
    /**
     * @param string $baseUrl of the gateway, such as `https://pay.example.com`; `/v2` is added where it is missing
     * @param string|\Closure(): string|null $accessToken in place of the credential; a function is called for each attempt
     * @param float $timeout of each attempt, seconds
     * @param int $maxRetries how often a failed attempt is repeated
     */
    public function __construct(
        string $baseUrl,
        ?string $clientId = null,
        #[\SensitiveParameter] ?string $clientSecret = null,
        #[\SensitiveParameter] string|\Closure|null $accessToken = null,
        float $timeout = 30.0,
        int $maxRetries = 4,
    ) {
        $root = rtrim($baseUrl, '/');
        $base = preg_match('~/v\d+$~D', $root) === 1 ? $root : "$root/v2";
        if ($accessToken === null && ($clientId === null || $clientSecret === null)) {
            throw new \InvalidArgumentException('clientId and clientSecret, or accessToken, are needed');
        }
        $login = new Transport($base, null, $timeout, $maxRetries);
        $tokens = match (true) {
            $accessToken === null => new Tokens(fn (): array => $login->send(
                'POST',
                '/auth',
                ['client_id' => $clientId, 'client_secret' => $clientSecret],
                withoutKey: true,
            )),
            is_string($accessToken) => new Tokens(
                fn (): array => ['access_token' => $accessToken, 'expires_in' => null],
                renewable: false,
            ),
            default => new Tokens(fn (): array => ['access_token' => $accessToken(), 'expires_in' => null]),
        };
        $this->use(new Transport($base, $tokens, $timeout, $maxRetries));
    }

    /**
     * The same client, for one sub-account: every call carries `X-Sub-Account`. It shares the token of this one.
     *
     * @param string $reference of the sub-account; `principal` is the main account
     */
    public function subAccount(string $reference): self
    {
        $made = clone $this;
        $made->use($this->transport->with(['X-Sub-Account' => $reference]));
        return $made;
    }

    /**
     * Sends a request of your own, for an operation that this version has no method for. `$path` is below `/v2`; tokens, keys,
     * retries and errors are those of every call.
     */
    public function request(
        string $method,
        string $path,
        ?array $body = null,
        array $query = [],
        ?CallOptions $options = null,
    ): array|null {
        return $this->transport->send(strtoupper($method), $path, body: $body, query: $query, options: $options);
    }

    private function use(Transport $transport): void
    {
        parent::__construct($transport);
        $this->transactions = new WaitableTransactions($transport);
        $this->withdrawals = new WaitableWithdrawals($transport);
        $this->refunds = new WaitableRefunds($transport);
    }
}

/** Transactions, with a way to wait for one. */
final class WaitableTransactions extends Transactions
{
    /**
     * Polls a transaction until it is no longer `pending`. A webhook reports the same sooner.
     *
     * @param float $within of the whole wait, seconds
     * @throws WaitTimeoutError it is still pending
     */
    public function wait(string $id, float $within = 60.0): array
    {
        return Wait::until(fn (CallOptions $options) => $this->get($id, $options), ['pending'], $within);
    }
}

/** Withdrawals, with a way to wait for one. */
final class WaitableWithdrawals extends Withdrawals
{
    /** Polls a withdrawal until it is neither `pending` nor `processing`. */
    public function wait(string $id, float $within = 60.0): array
    {
        return Wait::until(fn (CallOptions $options) => $this->get($id, $options), ['pending', 'processing'], $within);
    }
}

/** Refunds, with a way to wait for the newest one of a payment. */
final class WaitableRefunds extends Refunds
{
    /** Polls the newest refund of a payment until it is no longer `PENDING`. */
    public function wait(string $transactionId, float $within = 60.0): array
    {
        $newest = fn (CallOptions $options): array => $this->list($transactionId, ['limit' => 1], $options)->toArray(1)[0]
            ?? throw new \OutOfBoundsException("transaction $transactionId has no refund");
        return Wait::until($newest, ['PENDING'], $within);
    }
}
