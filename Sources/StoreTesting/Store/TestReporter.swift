public import Testing

/// Receives the failures that a ``TestStore`` finds in a test.
///
/// Without a word it is Swift Testing, at the caller's place. In XCTest:
///
/// ```swift
/// let reporter = TestReporter { text, place in
///     XCTFail(text, file: #filePath, line: UInt(place.line))
/// }
/// ```
public struct TestReporter: Sendable {
    let failed: @Sendable (String, SourceLocation) -> Void
    let noted: @Sendable (String, SourceLocation) -> Void

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - noted: is called with what a test leaves out and has shown; a warning.
    ///   - failed: is called with what is wrong.
    public init(
        noted: @escaping @Sendable (String, SourceLocation) -> Void = { _, _ in },
        failed: @escaping @Sendable (String, SourceLocation) -> Void
    ) {
        self.noted = noted
        self.failed = failed
    }

    /// Records issues of Swift Testing.
    public static let issues = TestReporter { text, place in
        Issue.record(Comment(rawValue: text), severity: .warning, sourceLocation: place)
    } failed: { text, place in
        Issue.record(Comment(rawValue: text), sourceLocation: place)
    }
}
