<?php

/** A merchant's receiver, run by `php -S`: keeps each delivery that it can verify, and refuses the others. */

declare(strict_types=1);

require getenv('PIXGATE_AUTOLOAD');

$folder = getenv('PIXGATE_RECEIVED');
try {
    $event = Pixgate\Webhook::verify(file_get_contents('php://input'), $_SERVER, trim(file_get_contents("$folder/secret")));
    file_put_contents("$folder/{$event['eventId']}.json", json_encode($event));
    http_response_code(204);
} catch (Pixgate\WebhookVerificationError) {
    http_response_code(401);
}
