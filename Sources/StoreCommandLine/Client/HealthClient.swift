/// `store-server --health [URL]`: asks a running server whether it is ready, so that a container's
/// health check needs no other program.
enum HealthClient {
    static let standardURL = "http://127.0.0.1:8080/readyz"
    /// How long each step of the exchange may take.
    static let stepSeconds = 3

    /// Asks once. Returns `nil` where the server is ready, or else why not.
    static func ask(_ url: String) -> String? {
        guard let client = CommandClient(url) else { return CommandClient.noAddress(url) }
        // Whatever name the server goes by, every one lets loopback in.
        let request = CommandClient.Request(
            "GET",
            client.path.isEmpty ? "/readyz" : client.path,
            headers: [("Host", "localhost")]
        )
        do {
            let status = try client.exchange(request, stepSeconds: stepSeconds).status
            return status == 200 ? nil : "\(url) answers \(status)"
        } catch {
            return error.description
        }
    }
}
