<?php
function mint(string $email, ?string $name = null, ?string $externalId = null): string
{
    $secret = trim(explode(',', getenv('PORCHLIGHT_SSO_SECRET') ?: '')[0]);
    if ($secret === '') throw new RuntimeException('PORCHLIGHT_SSO_SECRET is not set');
    $now = time();
    $claims = ['email' => $email, 'name' => $name, 'external_id' => $externalId, 'iat' => $now, 'exp' => $now + 600];
    $claims = array_filter($claims, fn ($value) => $value !== null);
    $part = fn (string $value) => rtrim(strtr(base64_encode($value), '+/', '-_'), '=');
    $signed = $part('{"alg":"HS256","typ":"JWT"}') . '.' . $part(json_encode($claims, JSON_THROW_ON_ERROR));
    return $signed . '.' . $part(hash_hmac('sha256', $signed, $secret, true));
}

echo mint(...array_slice($argv, 1)), "\n";
