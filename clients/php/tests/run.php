<?php

/**
 * What a shop does, against a gateway with its simulator. `PIXGATE_AUTOLOAD` is the file that loads the package,
 * `PIXGATE_URL`, `PIXGATE_CLIENT_ID` and `PIXGATE_CLIENT_SECRET` are as in the gateway's sandbox.json.
 */

declare(strict_types=1);

use Pixgate\{ApiError, CallOptions, Client, ConnectionError, IdempotencyKeyReusedError, InsufficientBalanceError};
use Pixgate\{InvalidRequestError, NotFoundError, RefundAlreadyExistsError, SecretNotShownError, ServerError, TimeoutError};
use Pixgate\{ValidationError, WaitTimeoutError, Webhook, WebhookVerificationError};

require getenv('PIXGATE_AUTOLOAD');

$url = getenv('PIXGATE_URL');
$pixgate = new Client($url, getenv('PIXGATE_CLIENT_ID'), getenv('PIXGATE_CLIENT_SECRET'));

function same(mixed $actual, mixed $expected): void
{
    if ($actual !== $expected) {
        throw new Exception('expected ' . var_export($expected, true) . ', got ' . var_export($actual, true));
    }
}

/** @template T of Throwable @param class-string<T> $class @return T */
function thrown(string $class, Closure $call): Throwable
{
    try {
        $call();
    } catch (Throwable $error) {
        return $error::class === $class ? $error : throw $error;
    }
    throw new Exception("$class was not thrown");
}

/** A server that answers each connection with the next of these texts, and nothing where one is null. Its address. */
function serve(?string ...$answers): array
{
    $socket = stream_socket_server('tcp://127.0.0.1:0');
    $address = stream_socket_get_name($socket, false);
    $process = proc_open([PHP_BINARY, __DIR__ . '/serve.php', json_encode($answers)], [0 => $socket, 1 => ['pipe', 'w']], $pipes);
    return ["http://$address", $process, $pipes[1]];
}

$shop = ['amount' => 25.9, 'description' => 'Pedido 1042 – café'];
$receiver = [
    'pixKey' => 'maria@example.com',
    'pixKeyType' => 'email',
    'holderName' => 'Maria Silva',
    'holderDocument' => '52998224725',
    'holderDocumentType' => 'cpf',
];

$tests = [
    'a charge is paid and read' => function () use ($pixgate, $shop) {
        $charge = $pixgate->charges->create($shop);
        same([$charge['status'], $charge['amount']], ['pending', 25.9]);
        $pixgate->sandbox->pay($charge['id']);
        $paid = $pixgate->transactions->wait($charge['id'], within: 30);
        same([$paid['status'], $paid['amount'], $paid['description']], ['completed', 25.9, 'Pedido 1042 – café']);
    },
    'the same key twice is one charge, and with another body an error' => function () use ($pixgate, $shop) {
        $options = new CallOptions(idempotencyKey: 'php-' . bin2hex(random_bytes(8)));
        $first = $pixgate->charges->create($shop, $options);
        same($pixgate->charges->create($shop, $options)['id'], $first['id']);
        $error = thrown(
            IdempotencyKeyReusedError::class,
            fn () => $pixgate->charges->create(['amount' => 26] + $shop, $options),
        );
        same([$error->status, $error->idempotencyKey], [422, $options->idempotencyKey]);
    },
    'a list is read over its pages, each item once' => function () use ($pixgate, $shop) {
        $reference = 'php-list-' . bin2hex(random_bytes(4));
        for ($i = 0; $i < 5; $i++) {
            $pixgate->charges->create($shop + ['externalReference' => "$reference-$i"]);
        }
        $from = $pixgate->transactions->get("$reference-0")['createdAt'];
        $list = $pixgate->transactions->list(['limit' => 2, 'from' => $from]);
        $found = [];
        foreach ($list as $item) {
            $found[] = $item['id'];
        }
        same([count($found) >= 5, count(array_unique($found))], [true, count($found)]);
        same([count($list->page()['items']), count($list->toArray(3))], [2, 3]);
    },
    'a refund is waited for, and a second one refused' => function () use ($pixgate) {
        $big = $pixgate->charges->create(['amount' => 200, 'description' => 'covers the fee']);
        $charge = $pixgate->charges->create(['amount' => 10, 'description' => 'comes back']);
        foreach ([$big, $charge] as ['id' => $id]) {
            $pixgate->sandbox->pay($id);
            $pixgate->transactions->wait($id);
        }
        $refund = $pixgate->refunds->create($charge['id'], ['reason' => 'Out of stock']);
        same($pixgate->refunds->wait($charge['id'])['status'], 'CONFIRMED');
        $error = thrown(
            RefundAlreadyExistsError::class,
            fn () => $pixgate->refunds->create($charge['id'], ['reason' => 'again']),
        );
        same($error->details['refundTransactionId'], $refund['refundTransactionId']);
    },
    'a withdrawal is paid, and one beyond the balance moves nothing' => function () use ($pixgate, $receiver) {
        $withdrawal = $pixgate->withdrawals->create($receiver + ['netAmount' => 12.34]);
        $sent = $pixgate->withdrawals->wait($withdrawal['id']);
        same([$sent['status'], $sent['netAmount']], ['completed', 12.34]);
        $before = $pixgate->account->get()['balance'];
        $error = thrown(
            InsufficientBalanceError::class,
            fn () => $pixgate->withdrawals->create($receiver + ['amount' => 1_000_000]),
        );
        same([$error->status, $error->details['required'] > $error->details['available']], [400, true]);
        same($pixgate->account->get()['balance'], $before);
    },
    'a sub-account has its own wallet, and a part of a charge' => function () use ($pixgate) {
        $reference = 'loja-' . bin2hex(random_bytes(4));
        $pixgate->subAccounts->create(['reference' => $reference, 'name' => 'Loja']);
        $charge = $pixgate->charges->create([
            'amount' => 100,
            'description' => 'split',
            'split' => [['subAccount' => $reference, 'amount' => 80.5]],
        ]);
        $pixgate->sandbox->pay($charge['id']);
        $pixgate->transactions->wait($charge['id']);
        $theirs = $pixgate->subAccount($reference);
        same($theirs->account->get()['balance']['available']['amountFormatted'], 80.5);
        same($pixgate->account->get()['balance']['available']['amountFormatted'] === 80.5, false);
    },
    'a delivery is verified by a real receiver; a changed, an old, an unsigned one is refused' => function () use ($pixgate) {
        $folder = sys_get_temp_dir() . '/pixgate-php-' . bin2hex(random_bytes(6));
        mkdir($folder);
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $address = stream_socket_get_name($socket, false);
        fclose($socket);
        $log = ['file', '/dev/null', 'w'];
        $server = proc_open([PHP_BINARY, '-S', $address, __DIR__ . '/receiver.php'], [1 => $log, 2 => $log], $pipes, null, [
            'PIXGATE_AUTOLOAD' => getenv('PIXGATE_AUTOLOAD'),
            'PIXGATE_RECEIVED' => $folder,
        ]);
        try {
            for ($i = 0; @stream_socket_client("tcp://$address") === false && $i < 500; $i++) {
                usleep(10_000);
            }
            $endpoint = $pixgate->webhookEndpoints->create(['url' => "http://$address/"]);
            file_put_contents("$folder/secret", $endpoint['secret']);
            $delivery = $pixgate->webhookEndpoints->test($endpoint['id'], ['event' => 'payment_completed']);
            same($delivery['status'], 'delivered');
            same(json_decode(file_get_contents("$folder/{$delivery['eventId']}.json"), true)['event'], 'payment_completed');
            file_put_contents("$folder/secret", 'whsec_' . base64_encode(random_bytes(32)));
            same($pixgate->webhookEndpoints->test($endpoint['id'], ['event' => 'payment_expired'])['status'] === 'delivered', false);
            $pixgate->webhookEndpoints->delete($endpoint['id']);
        } finally {
            proc_terminate($server);
            proc_close($server);
            array_map('unlink', glob("$folder/*"));
            rmdir($folder);
        }
        $secret = 'whsec_' . base64_encode('0123456789abcdef0123456789abcdef');
        $body = '{"event":"payment_completed","eventId":"1"}';
        $mac = base64_encode(hash_hmac('sha256', "1.1000.$body", '0123456789abcdef0123456789abcdef', true));
        $headers = ['Webhook-Id' => '1', 'Webhook-Timestamp' => '1000', 'Webhook-Signature' => "v1,AAAA v1,$mac"];
        same(Webhook::verify($body, $headers, ['whsec_AAAA', $secret], now: 1299)['eventId'], '1');
        foreach ([
            fn () => Webhook::verify("$body ", $headers, $secret, now: 1000),
            fn () => Webhook::verify($body, $headers, $secret, now: 1301),
            fn () => Webhook::verify($body, $headers, 'whsec_', now: 1000),
            fn () => Webhook::verify($body, [], $secret, now: 1000),
            fn () => Webhook::verify($body, ['Webhook-Timestamp' => '1e3'] + $headers, $secret, now: 1000),
        ] as $call) {
            thrown(WebhookVerificationError::class, $call);
        }
    },
    'the way back of a payer is verified as by the other clients' => function () {
        foreach (json_decode(file_get_contents(__DIR__ . '/../../return-vectors.json'), true) as $vector) {
            $verify = fn () => Webhook::verifyReturn($vector['url'], $vector['secrets'], now: $vector['now']);
            if ($vector['returned'] === null) {
                thrown(WebhookVerificationError::class, $verify);
            } else {
                same($verify(), $vector['returned']);
            }
        }
        thrown(InvalidArgumentException::class, fn () => Webhook::verifyReturn('/?a', []));
    },
    'errors say their code, their fields and their trace' => function () use ($pixgate, $shop) {
        $error = thrown(ValidationError::class, fn () => $pixgate->charges->create(['amount' => -1] + $shop));
        same([$error->errorCode, $error->issues()[0]['path'], $error->traceId !== null], ['VALIDATION_ERROR', 'amount', true]);
        same(thrown(NotFoundError::class, fn () => $pixgate->transactions->get('no such'))->status, 404);
        thrown(WaitTimeoutError::class, fn () => $pixgate->transactions->wait($pixgate->charges->create($shop)['id'], 0.2));
    },
    'what cannot be sent is said at once' => function () use ($pixgate, $shop, $url) {
        thrown(InvalidRequestError::class, fn () => $pixgate->charges->create(['amount' => NAN] + $shop));
        thrown(InvalidRequestError::class, fn () => $pixgate->charges->create(['description' => "\xff"] + $shop));
        foreach (['', '1045', 'order 1045', 'café-1045', str_repeat('x', 256)] as $key) {
            thrown(InvalidRequestError::class, fn () => $pixgate->charges->create($shop, new CallOptions(idempotencyKey: $key)));
        }
        thrown(InvalidRequestError::class, fn () => new Client('pay.example.com', 'a', 'b'));
    },
    'a token that is refused is replaced once' => function () use ($url, $pixgate) {
        $good = $pixgate->request('POST', '/auth', [
            'client_id' => getenv('PIXGATE_CLIENT_ID'),
            'client_secret' => getenv('PIXGATE_CLIENT_SECRET'),
        ])['access_token'];
        $tokens = ['bad', $good];
        $client = new Client($url, accessToken: function () use (&$tokens) {
            return count($tokens) > 1 ? array_shift($tokens) : $tokens[0];
        });
        same(isset($client->account->get()['balance']), true);
        same(thrown(Pixgate\AuthenticationError::class, fn () => (new Client($url, accessToken: 'bad'))->account->get())->status, 401);
    },
    'an overload is waited out, an outage is unknown, a redirect is not followed' => function () {
        $ok = "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{\"id\":\"one\"}";
        $busy = "HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        $moved = "HTTP/1.1 302 Found\r\nLocation: http://elsewhere.example/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        [$address, $process, $requests] = serve($busy, $ok, $moved, null);
        $client = new Client($address, accessToken: 'token', timeout: 2.0);
        same($client->charges->create(['amount' => 1])['id'], 'one');
        $error = thrown(ApiError::class, fn () => $client->account->get());
        same([$error->status, str_contains($error->getMessage(), 'elsewhere')], [302, true]);
        $started = microtime(true);
        $once = new CallOptions(timeout: 0.3, maxRetries: 0);
        $error = thrown(TimeoutError::class, fn () => $client->charges->create(['amount' => 2], $once));
        same([$error->attempts, strlen($error->idempotencyKey), microtime(true) - $started < 5], [1, 32, true]);
        proc_terminate($process);
        $sent = array_filter(explode("\n", stream_get_contents($requests)));
        proc_close($process);
        // The repetition has the same key.
        same([count($sent), $sent[0] === $sent[1], strlen($sent[0])], [4, true, 32]);
        $error = thrown(ConnectionError::class, fn () => $client->charges->create(['amount' => 3], new CallOptions(maxRetries: 1)));
        same($error->attempts, 2);
    },
    'what ends a call after a lost answer leaves its outcome unknown, with its key' => function () {
        $answer = fn (string $status, string $body = '', string $more = ''): string =>
            "HTTP/1.1 $status\r\n{$more}Content-Length: " . strlen($body) . "\r\nConnection: close\r\n\r\n$body";
        $lost = $answer('502 Bad Gateway');
        $busy = $answer('503 Busy', more: "Retry-After: 0\r\n");
        // A token that is over at once: every attempt needs another.
        $login = $answer('200 OK', '{"access_token":"t","expires_in":0}');
        $limited = $answer('429 Too Many', more: "Retry-After: 0\r\n");
        foreach ([[[$login, $lost, $busy, $busy], null], [[$lost, $limited], 't']] as [$answers, $token]) {
            [$address, $process, $requests] = serve(...$answers);
            $client = new Client($address, ...($token === null ? ['a', 'b'] : [null, null, $token]), maxRetries: 1);
            $error = thrown(ConnectionError::class, fn () => $client->charges->create(['amount' => 1]));
            proc_terminate($process);
            $sent = array_values(array_diff(array_filter(explode("\n", stream_get_contents($requests))), ['-']));
            proc_close($process);
            same(array_unique($sent), [$error->idempotencyKey]);
        }
        $nowhere = new Client('http://127.0.0.1:9', 'a', 'b', maxRetries: 0);
        $call = fn () => $nowhere->charges->create(['amount' => 1], new CallOptions(idempotencyKey: 'payout-77'));
        same(thrown(ConnectionError::class, $call)->idempotencyKey, 'payout-77');
    },
    'the statement is a file, and a secret is shown once' => function () use ($pixgate) {
        same(substr_count($pixgate->statement->listAs('text/csv', ['limit' => 2]), "\n") >= 3, true);
        same(str_contains($pixgate->statement->listAs('application/x-ofx'), '<OFX>'), true);
        $options = new CallOptions(idempotencyKey: 'php-' . bin2hex(random_bytes(8)));
        $body = ['url' => 'http://127.0.0.1:9/'];
        $endpoint = $pixgate->webhookEndpoints->create($body, $options);
        $error = thrown(SecretNotShownError::class, fn () => $pixgate->webhookEndpoints->create($body, $options));
        same($error->answer['id'], $endpoint['id']);
        $pixgate->webhookEndpoints->delete($endpoint['id']);
    },
];

$failed = 0;
foreach ($tests as $title => $test) {
    try {
        $test();
        echo "ok - $title\n";
    } catch (Throwable $error) {
        $failed++;
        echo "not ok - $title\n", $error::class, ': ', $error->getMessage(), "\n", $error->getTraceAsString(), "\n";
    }
}
echo count($tests) - $failed, " passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
