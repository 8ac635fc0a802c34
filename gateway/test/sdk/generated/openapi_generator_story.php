<?php

// Charges, is paid and reads, with the client that openapi-generator made of the merchants' document.

use OpenAPI\Client\Api\AuthenticationApi;
use OpenAPI\Client\Api\ChargesApi;
use OpenAPI\Client\Api\SandboxApi;
use OpenAPI\Client\Api\TransactionsApi;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\ChargeRequest;
use OpenAPI\Client\Model\Credentials;
use OpenAPI\Client\Model\SandboxPayment;

// What `composer install` would have brought, from Debian's package.
require '/usr/share/php/GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    $file = __DIR__ . '/lib/' . str_replace(['OpenAPI\\Client\\', '\\'], ['', '/'], $class) . '.php';
    if (is_file($file)) {
        require $file;
    }
});

$settings = (new Configuration())->setHost(getenv('PIXGATE_URL'));
$credentials = new Credentials([
    'client_id' => getenv('PIXGATE_CLIENT_ID'),
    'client_secret' => getenv('PIXGATE_CLIENT_SECRET'),
]);
$token = (new AuthenticationApi(null, $settings))->authCreateToken($credentials);
$settings->setAccessToken($token->getAccessToken());
$order = new ChargeRequest(['amount' => 25.9, 'description' => 'Order 1042']);
$charge = (new ChargesApi(null, $settings))->chargesCreate($order);
(new SandboxApi(null, $settings))->sandboxPay($charge->getId(), null, null, new SandboxPayment());
$read = (new TransactionsApi(null, $settings))->transactionsGet($charge->getId());
echo $read->getId(), ' ', $read->getStatus(), ' ', $read->getAmount(), "\n";
