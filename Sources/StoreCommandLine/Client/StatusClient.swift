import Glibc
import StoreCurl
import StorePlatform

/// The command `store-server status [URL] [--watch]`, which shows the condition of a running server
/// to a person. The data come from the server's `/readyz` and `/metrics`.
package struct StatusClient {
    package static let standardURL = "http://127.0.0.1:8080"
    /// The interval of `--watch`, in seconds.
    static let intervalSeconds: UInt32 = 2
    /// The maximum time of an exchange, in seconds.
    static let exchangeSeconds = 3

    private let url: String
    private let credential: Credential?

    package init(_ url: String, credential: Credential? = nil) {
        self.url = url
        self.credential = credential
    }

    /// Prints a report. Returns true if the server takes requests.
    package func show() -> Bool {
        let report = ask()
        write(report.text(since: nil))
        return report.isReady
    }

    /// Prints a report at each interval, until the process ends.
    package func watch() -> Never {
        var last: StatusReport?
        while true {
            let report = ask()
            let text = report.text(since: last)
            // A terminal is cleared; in a file or a pipe, one report follows the other.
            write(isatty(STDOUT_FILENO) == 1 ? "\u{1B}[H\u{1B}[2J" + text : text + "\n")
            last = report
            sleep(Self.intervalSeconds)
        }
    }

    private func ask() -> StatusReport {
        guard let client = CommandClient(url, credential: credential) else {
            return StatusReport(of: url, trouble: CommandClient.noAddress(url))
        }
        func get(_ path: String) throws(CommandClientError) -> HTTPResponse {
            try client.exchange(
                .get,
                path,
                headers: ["Host": "localhost", "Accept": "application/json, text/plain"],
                seconds: Self.exchangeSeconds
            )
        }
        do {
            return StatusReport(of: url, ready: try get("/readyz"), metrics: try get("/metrics"))
        } catch { return StatusReport(of: url, trouble: error.description) }
    }

    private func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}

/// The command `store-server --health [URL]`, which checks if a running server is ready. With it, a
/// container's health check needs no other program.
package enum HealthClient {
    package static let standardURL = "http://127.0.0.1:8080/readyz"
    /// The maximum time of the exchange, in seconds.
    static let exchangeSeconds = 3

    /// Sends one request. Returns `nil` if the server is ready, else the reason why it is not.
    package static func ask(_ url: String) -> String? {
        guard let client = CommandClient(url) else { return CommandClient.noAddress(url) }
        // Every server accepts `localhost` as its host, whatever its own name is.
        do {
            let status = try client.exchange(
                .get,
                client.path.isEmpty ? "/readyz" : "",
                headers: ["Host": "localhost"],
                seconds: exchangeSeconds
            ).status
            return status == 200 ? nil : "\(url) answers \(status)"
        } catch { return error.description }
    }
}
