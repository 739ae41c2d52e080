/// The command `store-server --health [URL]`, which checks if a running server is ready. With it, a
/// container's health check needs no other program.
enum HealthClient {
    static let standardURL = "http://127.0.0.1:8080/readyz"
    /// The maximum time for each read or write of the exchange, in seconds.
    static let stepSeconds = 3

    /// Sends one request. Returns `nil` if the server is ready, else the reason why it is not.
    static func ask(_ url: String) -> String? {
        guard let client = CommandClient(url) else { return CommandClient.noAddress(url) }
        // Every server accepts `localhost` as its host, whatever its own name is.
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
