import Glibc
import StoreCurl
import StorePlatform

/// The command `store-server status [URL] [--watch]`, which prints the condition of a running
/// server. The data come from the server's `/readyz` and `/metrics`.
package struct StatusClient {
    package static let standardURL = "http://127.0.0.1:8080"
    /// The interval of `--watch`, in seconds.
    static let intervalSeconds: UInt32 = 2
    /// The maximum time from a request to the end of its answer, in seconds.
    static let exchangeSecondsMax = 3

    private let url: String
    private let credential: Credential?

    package init(_ url: String, credential: Credential? = nil) {
        self.url = url
        self.credential = credential
    }

    /// Prints a report. Returns true if the server takes requests.
    package func show() -> Bool {
        let report = fetchReport()
        write(report.text(since: nil))
        return report.isReady
    }

    /// Prints a report at each interval, until the process ends.
    package func watch() -> Never {
        var last: StatusReport?
        while true {
            let report = fetchReport()
            let text = report.text(since: last)
            // On a terminal, a report replaces the previous report. In a file or a pipe, each
            // report follows the previous report.
            write(isatty(STDOUT_FILENO) == 1 ? "\u{1B}[H\u{1B}[2J" + text : text + "\n")
            last = report
            sleep(Self.intervalSeconds)
        }
    }

    private func fetchReport() -> StatusReport {
        guard let client = CommandClient(url, credential: credential) else {
            return StatusReport(of: url, trouble: CommandClient.invalidAddressMessage(url))
        }
        func get(_ path: String) throws(CommandClientError) -> HTTPResponse {
            try client.exchange(
                .get,
                path,
                headers: ["Host": "localhost", "Accept": "application/json, text/plain"],
                seconds: Self.exchangeSecondsMax
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

/// The command `store-server --health [URL]`, which checks if a running server is ready. The health
/// check of a container therefore needs no other program.
package enum HealthClient {
    package static let standardURL = "http://127.0.0.1:8080/readyz"
    /// The maximum time from the request to the end of its answer, in seconds.
    static let exchangeSecondsMax = 3

    /// Sends one request. Returns `nil` if the server is ready, or else the reason why the server
    /// is not ready.
    package static func reasonNotReady(at url: String) -> String? {
        guard let client = CommandClient(url) else {
            return CommandClient.invalidAddressMessage(url)
        }
        // Every server accepts `localhost` in the header `Host`.
        do {
            let status = try client.exchange(
                .get,
                client.path.isEmpty ? "/readyz" : "",
                headers: ["Host": "localhost"],
                seconds: exchangeSecondsMax
            ).status
            return status == 200 ? nil : "\(url) answers \(status)"
        } catch { return error.description }
    }
}
