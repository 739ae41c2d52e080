import StorePlatform
import StoreTesting
import Synchronization

/// Collects what stores under test report.
final class Failures: Sendable {
    private let texts = Locked<(failed: [String], noted: [String])>(([], []))

    var reporter: TestReporter {
        TestReporter { [self] text, _ in
            texts.withLock { $0.noted.append(text) }
        } failed: { [self] text, _ in
            texts.withLock { $0.failed.append(text) }
        }
    }

    /// What was reported since it was asked for the last time.
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
