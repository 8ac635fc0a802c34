<?php
// php examples/first-charge/charge.php: needs PHP 8.1 with the extension curl.
$order = getenv('ORDER') ?: 'order-' . hrtime(true);

function call(string $method, string $path, ?array $body = null, ?string $token = null, ?string $key = null): array
{
    $headers = ['Content-Type: application/json'];
    if ($token !== null) {
        $headers[] = "Authorization: Bearer $token";
    }
    if ($key !== null) {
        $headers[] = "Idempotency-Key: $key";
    }
    $curl = curl_init(getenv('PIXGATE_URL') . '/v2' . $path);
    curl_setopt_array($curl, [
        CURLOPT_CUSTOMREQUEST => $method,
        CURLOPT_HTTPHEADER => $headers,
        CURLOPT_RETURNTRANSFER => true,
        CURLOPT_TIMEOUT => 30,
    ]);
    if ($body !== null) {
        curl_setopt($curl, CURLOPT_POSTFIELDS, json_encode($body, JSON_THROW_ON_ERROR));
    }
    $answer = curl_exec($curl);
    $status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
    if ($answer === false || $status >= 300) {
        throw new RuntimeException("$method $path: $status " . ($answer ?: curl_error($curl)));
    }
    return json_decode($answer, true, flags: JSON_THROW_ON_ERROR);
}

$credential = ['client_id' => getenv('PIXGATE_CLIENT_ID'), 'client_secret' => getenv('PIXGATE_CLIENT_SECRET')];
$token = call('POST', '/auth', $credential)['access_token'];

// The key is the order's: whoever repeats this call gets the same charge.
$body = ['amount' => 25.90, 'description' => 'Two coffees', 'externalReference' => $order];
$charge = call('POST', '/pix', $body, $token, "charge-$order");
echo $charge['pixCopyPaste'], PHP_EOL;

call('POST', "/sandbox/pix/{$charge['id']}/pay", token: $token); // in production your customer pays

for ($second = 0; $second < 60; $second++) {
    $payment = call('GET', "/transactions/{$charge['id']}", token: $token);
    if ($payment['status'] !== 'pending') {
        break;
    }
    sleep(1);
}
echo $payment['status'], ' ', $payment['amount'], PHP_EOL;
