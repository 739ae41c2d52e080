/// What went wrong at an entry of the tape. Travels within the `DecodingError` that people's own
/// code may catch, and becomes a ``JSONError`` at the border.
///
/// Types that try one form after another fail as a matter of course, so a failure has only
/// what the message is made of later, while the tape is still there.
struct DecodingFailure: Error {
    /// What would have been right.
    enum Expected: Sendable {
        case words(String)
        case integer(bits: Int, signed: Bool)
        case elements(Int)
        /// A member of this name.
        case member(String)

        var text: String {
            switch self {
            case .words(let words): words
            case .integer(let bits, signed: true):
                "an integer from \(Int128.min >> (128 - bits)) to \(Int128.max >> (128 - bits))"
            case .integer(let bits, signed: false):
                "an integer from 0 to \(UInt128.max >> (128 - bits))"
            case .elements(let count): "at least \(count) elements"
            case .member: "a value"
            }
        }

        /// The same without the bounds, which take longer to write than a value to read.
        var brief: String {
            switch self {
            case .words(let words): words
            case .integer: "an integer that the type can hold"
            case .elements: "more elements"
            case .member: "a member"
            }
        }
    }

    /// The most values of an enum that a message lists.
    static let namesMax = 20

    let index: Int
    let expected: Expected
}

extension CaseIterable {
    /// The raw values, if they are texts.
    fileprivate static var rawTexts: [String] {
        allCases.compactMap { ($0 as? any RawRepresentable<String>)?.rawValue }
    }
}

extension DecodingState {
    func offset(of index: Int) -> Int {
        Int(tape.entries[index].start)
    }

    func codingPath(to index: Int) -> [any CodingKey] {
        trail.codingPath(to: entry(of: index), in: tape)
    }

    /// The entry that stands for a place: for the object around a case, its payload.
    private func entry(of place: Int) -> Int {
        place == Self.enclosure ? caseIndex : place
    }

    /// The standard library's form of a value that does not fit.
    @inline(never)
    func mismatch(_ index: Int, _ expected: DecodingFailure.Expected) -> DecodingError {
        let index = entry(of: index)
        let context = context(DecodingFailure(index: index, expected: expected))
        return isNull(index)
            ? .valueNotFound(Any.self, context) : .typeMismatch(Any.self, context)
    }

    func mismatch(_ index: Int, _ expected: String) -> DecodingError {
        mismatch(index, .words(expected))
    }

    /// The standard library's form of a member that is not there.
    @inline(never)
    func missing(_ key: any CodingKey, in object: Int) -> DecodingError {
        .keyNotFound(
            key,
            context(
                DecodingFailure(index: entry(of: object), expected: .member(key.stringValue))
            )
        )
    }

    private func context(_ failure: DecodingFailure) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: codingPath(to: failure.index),
            debugDescription: "Expected \(failure.expected.brief).",
            underlyingError: failure
        )
    }

    /// The same error with the values that an enum has, if the enum lists them (`CaseIterable`) and
    /// the text is none of them.
    @inline(never)
    func unlisted<T>(_ type: T.Type, at index: Int, _ error: DecodingError) -> DecodingError {
        guard case .dataCorrupted(let found) = error, found.underlyingError == nil,
            let listed = type as? any CaseIterable.Type
        else { return error }
        let names = listed.rawTexts
        guard !names.isEmpty else { return error }
        let shown = names.prefix(DecodingFailure.namesMax).map { JSONText.quoted($0) }
        let rest = names.count - shown.count
        let words =
            "one of " + shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        return .dataCorrupted(context(DecodingFailure(index: index, expected: .words(words))))
    }

    func error(_ failure: DecodingFailure) -> JSONError {
        let pointer = tape.pointer(to: failure.index)
        let expected = failure.expected.text
        if case .member(let member) = failure.expected {
            return JSONError(
                code: .missing,
                offset: offset(of: failure.index),
                pointer: pointer + "/" + escapedToken(member),
                expected: expected,
                message: "The member \"\(member)\" is missing."
            )
        }
        return JSONError(
            code: .mismatch,
            offset: offset(of: failure.index),
            pointer: pointer,
            expected: expected,
            message: "There is \(found(failure)) where \(expected) is expected."
        )
    }

    private func found(_ failure: DecodingFailure) -> String {
        let node = JSONNode(tape: tape, index: failure.index)
        switch node.kind {
        case .object: return "an object"
        case .array:
            if case .elements(let count) = failure.expected { return "an array of \(count - 1)" }
            return "an array"
        case .string: return "a string"
        case .true, .false: return "true or false"
        case .null: return "null"
        case .number: return "the number \(node.sourceText.prefix(40))"
        }
    }

    /// An error that a type's own code threw, with the place that its coding path names.
    func error(_ error: DecodingError) -> JSONError {
        let code: JSONError.Code
        let context: DecodingError.Context
        var member: (any CodingKey)?
        switch error {
        case .keyNotFound(let key, let found): (code, context, member) = (.missing, found, key)
        case .valueNotFound(_, let found): (code, context) = (.missing, found)
        case .typeMismatch(_, let found): (code, context) = (.mismatch, found)
        case .dataCorrupted(let found): (code, context) = (.invalid, found)
        @unknown default:
            return JSONError(
                code: .invalid,
                message: "The type's own code refused the value.",
                failure: error
            )
        }
        if let failure = context.underlyingError as? DecodingFailure { return self.error(failure) }
        let path = context.codingPath + (member.map { [$0] } ?? [])
        return JSONError(
            code: code,
            offset: offset(along: context.codingPath),
            pointer: path.pointer,
            message: context.debugDescription
        )
    }

    /// The offset of the value that a coding path leads to, as far as it leads.
    private func offset(along path: [any CodingKey]) -> Int {
        var node = JSONNode(tape: tape, index: 0)
        for key in path {
            let next =
                node.kind == .array
                ? key.intValue.flatMap {
                    node.elements.indices.contains($0) ? node.elements[$0] : nil
                }
                : node.member(named: key.stringValue)
            guard let next else { break }
            node = next
        }
        return node.byteRange.lowerBound
    }
}
