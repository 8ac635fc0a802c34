<?php // WEBHOOK_SECRET=whsec_… php -S 127.0.0.1:3000 examples/receiver.php
$body = file_get_contents('php://input');
$seconds = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
$signed = ($_SERVER['HTTP_WEBHOOK_ID'] ?? '') . ".$seconds.$body";
$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
$expected = 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
$genuine = false;
foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '') as $given) {
    $genuine = hash_equals($expected, $given) || $genuine;
}
if (!$genuine || !ctype_digit($seconds) || abs(time() - (int) $seconds) > 300) {
    http_response_code(401);
    exit;
}
http_response_code(204); // answer at once, work afterwards; drop an eventId that you have seen
$event = json_decode($body);
error_log("$event->event $event->eventId");
