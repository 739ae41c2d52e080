import StoreAuthentication
import StoreEventStream
import StorePlatform
import StoreWire

/// What lets a request, or a stream of it, last: its credential, and a policy that allows it. Any
/// thread may ask.
struct HeldAccess: Sendable {
    /// Why it came to its end.
    enum Ending: Sendable {
        /// The credential has expired or was revoked.
        case credential(AuthenticationError)
        /// A new policy does not allow what it shows.
        case policy(Problem)
    }

    /// How long behind the end of a credential it is looked for: the clock that is asked then may
    /// be some milliseconds behind.
    private static let lateSeconds = 0.05

    /// The second since 1970 with which the credential ends; `nil` where it has no end.
    private let expires: Int64?
    private let ending: @Sendable () -> Ending?
    private let refuse: @Sendable (Ending) -> Problem

    /// - Parameters:
    ///   - expires: the second since 1970 with which the credential ends, if it does.
    ///   - ending: why it has come to its end; `nil` while it has not.
    ///   - refuse: the answer to a request that waits, with a line in the log.
    init(
        expires: Int64?,
        ending: @escaping @Sendable () -> Ending?,
        refuse: @escaping @Sendable (Ending) -> Problem
    ) {
        self.expires = expires
        self.ending = ending
        self.refuse = refuse
    }

    /// Whether it has not come to its end.
    var isGood: Bool { ending() == nil }

    /// Why the request may not be answered; `nil` where it may. Called once, for the answer.
    var problem: Problem? { ending().map(refuse) }

    /// How long a wait of so many seconds may last: until the credential has ended, at the most.
    func seconds(ofWait seconds: Double) -> Double {
        guard let expires else { return seconds }
        let left = Double(expires) - Double(SystemTime.wallNanoseconds()) / 1e9
        return min(seconds, max(0, left) + Self.lateSeconds)
    }

    /// The same for the stream writer.
    var credential: StreamCredential {
        StreamCredential(expires: expires) { isGood }
    }
}
