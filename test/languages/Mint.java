import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Mint {
    static String mint(String email, String name, String externalId) throws Exception {
        String secret = System.getenv("PORCHLIGHT_SSO_SECRET").split(",")[0].strip();
        long now = Instant.now().getEpochSecond();
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("email", email);
        if (name != null) texts.put("name", name);
        if (externalId != null) texts.put("external_id", externalId);
        String claims = texts.entrySet().stream()
            .map(claim -> quote(claim.getKey()) + ":" + quote(claim.getValue()))
            .collect(Collectors.joining(",", "{", ",\"iat\":" + now + ",\"exp\":" + (now + 600) + "}"));
        String signed = part("{\"alg\":\"HS256\",\"typ\":\"JWT\"}".getBytes(UTF_8)) + "." + part(claims.getBytes(UTF_8));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
        return signed + "." + part(mac.doFinal(signed.getBytes(UTF_8)));
    }

    static String part(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Or what your JSON library has for it. */
    static String quote(String text) {
        StringBuilder json = new StringBuilder("\"");
        for (char c : text.toCharArray())
            json.append(c < ' ' || c == '"' || c == '\\' || c > '~' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        return json.append('"').toString();
    }

    public static void main(String[] args) throws Exception {
        System.out.println(mint(args[0], args.length > 1 ? args[1] : null, args.length > 2 ? args[2] : null));
    }
}
