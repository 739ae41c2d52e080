import StoreAuthentication
package import StoreHTTPTransport
import StorePlatform
package import StoreWire

/// The access that a waiting request or a stream depends on: a valid credential, and a policy that
/// allows the request. Any thread may use it.
package struct AccessLease: Sendable {
    /// The reason why the access has ended.
    enum Ending: Sendable {
        /// The credential has expired or was revoked.
        case credential(AuthenticationError)
        /// A new policy does not allow the request.
        case policy(Problem)
    }

    /// The seconds that a timer waits after a credential's end, because the clock that decides
    /// about the end may lag by some milliseconds.
    private static let lateSeconds = 0.05

    /// The second since 1970 at which the credential ends; `nil` if it has no end.
    let expires: Int64?
    /// Returns the reason why the access has ended; `nil` while it lasts.
    let ending: @Sendable () -> Ending?
    /// Makes the answer to a waiting request, and logs the reason.
    let refuse: @Sendable (Ending) -> Problem

    /// True if the access has not ended.
    package var isGood: Bool { ending() == nil }

    /// The problem that a waiting request is answered with; `nil` while the access lasts. Read this
    /// property once, for the answer: each read writes to the log.
    package var problem: Problem? { ending().map(refuse) }

    /// Shortens a wait, so that the wait ends shortly after the credential's end at the latest.
    /// Returns the allowed seconds.
    package func seconds(ofWait seconds: Double) -> Double {
        guard let expires else { return seconds }
        let left = Double(expires) - Double(SystemTime.wallNanoseconds()) / 1e9
        return min(seconds, max(0, left) + Self.lateSeconds)
    }

    /// The access as the stream writer checks it.
    package var credential: StreamCredential { StreamCredential(expires: expires) { isGood } }
}
