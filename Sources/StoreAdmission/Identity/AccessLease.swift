import StoreAuthentication
package import StoreHTTPTransport
import StorePlatform
package import StoreWire

/// The access that a waiting request or a stream depends on: a valid credential, and a policy that
/// allows the request. Any thread may use the lease.
package struct AccessLease: Sendable {
    /// The reason why the access has ended.
    enum Ending: Sendable {
        /// The credential has expired or was revoked.
        case credential(AuthenticationError)
        /// A new policy does not allow the request.
        case policy(Problem)
    }

    /// The seconds that a timer waits after a credential's end. Without this delay, the clock that
    /// decides about the end might still show an earlier time.
    private static let clockLagSeconds = 0.05

    /// The second since 1970 at which the credential ends; `nil` if the credential has no end.
    let expiresAt: Int64?
    /// Returns the reason why the access has ended; `nil` while the access lasts.
    let ending: @Sendable () -> Ending?
    /// Makes the answer to a waiting request, and logs the reason.
    let makeProblem: @Sendable (Ending) -> Problem

    /// True if the access has not ended.
    package var isValid: Bool { ending() == nil }

    /// The problem that a waiting request is answered with; `nil` while the access lasts. Read this
    /// property once, for the answer: each read writes to the log.
    package var loggedProblem: Problem? { ending().map(makeProblem) }

    /// Returns the seconds that a wait may take: at most until shortly after the credential's end.
    package func limitedSeconds(ofWait seconds: Double) -> Double {
        guard let expiresAt else { return seconds }
        let left = Double(expiresAt) - Double(SystemTime.wallNanoseconds()) / 1e9
        return min(seconds, max(0, left) + Self.clockLagSeconds)
    }

    /// The access in the form in which the stream writer checks it.
    package var credential: StreamCredential { StreamCredential(expiresAt: expiresAt) { isValid } }
}
