using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

static class Mint
{
    static string Token(string email, string name, string externalId)
    {
        var secret = Environment.GetEnvironmentVariable("PORCHLIGHT_SSO_SECRET").Split(',')[0].Trim();
        var now = DateTimeOffset.UtcNow.ToUnixTimeSeconds();
        var texts = new[] { ("email", email), ("name", name), ("external_id", externalId) }
            .Where(claim => claim.Item2 != null)
            .Select(claim => $"{Quote(claim.Item1)}:{Quote(claim.Item2)}");
        var claims = $"{{{string.Join(",", texts)},\"iat\":{now},\"exp\":{now + 600}}}";
        var signed = Part("{\"alg\":\"HS256\",\"typ\":\"JWT\"}") + "." + Part(claims);
        using (var mac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)))
            return signed + "." + Part(mac.ComputeHash(Encoding.UTF8.GetBytes(signed)));
    }

    static string Part(string text) => Part(Encoding.UTF8.GetBytes(text));

    static string Part(byte[] bytes) => Convert.ToBase64String(bytes).TrimEnd('=').Replace('+', '-').Replace('/', '_');

    // Or JsonSerializer.Serialize of System.Text.Json.
    static string Quote(string text) =>
        "\"" + string.Concat(text.Select(c => c < ' ' || c == '"' || c == '\\' || c > '~' ? $"\\u{(int)c:x4}" : c.ToString())) + "\"";

    static void Main(string[] args) =>
        Console.WriteLine(Token(args[0], args.ElementAtOrDefault(1), args.ElementAtOrDefault(2)));
}
