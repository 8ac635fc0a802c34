<?php

/** For programs without Composer: `require 'pixgate/src/autoload.php';`. */

declare(strict_types=1);

foreach (['Errors', 'CallOptions', 'Listing', 'Retry', 'Tokens', 'Transport', 'Operations', 'Wait', 'Client', 'Webhook'] as $file) {
    require_once __DIR__ . "/$file.php";
}
