import StorePlatform
import StoreTesting
import Synchronization

/// Collects the failures of stores under test.
final class Failures: Sendable {
    private let texts = Locked<(failed: [String], noted: [String])>(([], []))

    var reporter: TestReporter {
        TestReporter { [self] text, _ in
            texts.withLock { $0.noted.append(text) }
        } failed: { [self] text, _ in
            texts.withLock { $0.failed.append(text) }
        }
    }

    /// Returns the failures since the last call.
    func take() -> [String] {
        texts.withLock { texts in
            defer { texts.failed = [] }
            return texts.failed
        }
    }

    func takeNoted() -> [String] {
        texts.withLock { texts in
            defer { texts.noted = [] }
            return texts.noted
        }
    }
}
