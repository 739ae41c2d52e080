/// A mismatch between a type and an entry of the tape. The failure is the underlying error of a
/// `DecodingError`, which a type's own code may catch. If no code catches the error, the decoder
/// converts it to a ``JSONError``.
///
/// A type that tries to decode several forms causes many failures. So a failure holds only the data
/// for a message. The decoder composes the message at the end.
struct DecodingFailure: Error {
    enum Expected: Sendable {
        case words(String)
        case integer(bits: Int, signed: Bool)
        case elements(Int)
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

        /// A shorter text, which leaves out an integer's bounds. Writing the bounds takes longer
        /// than reading a value.
        var briefText: String {
            switch self {
            case .words(let words): words
            case .integer: "an integer that the type can hold"
            case .elements: "more elements"
            case .member: "a member"
            }
        }
    }

    /// The maximum number of values of an enum that a message lists.
    static let namesMax = 20

    let index: Int
    let expected: Expected
}

extension DecodingState {
    func offset(of index: Int) -> Int { Int(tape.entries[index].start) }

    func codingPath(to index: Int) -> [any CodingKey] {
        pathCache.codingPath(to: entryIndex(of: index), in: tape)
    }

    /// Returns the index of an entry. For ``caseObjectIndex``, which has no entry, returns the
    /// index of the payload.
    private func entryIndex(of place: Int) -> Int {
        place == Self.caseObjectIndex ? casePayloadIndex : place
    }

    /// Returns an error of the standard library for a value that differs from the expected value.
    @inline(never)
    func mismatchError(_ index: Int, _ expected: DecodingFailure.Expected) -> DecodingError {
        let index = entryIndex(of: index)
        let context = context(DecodingFailure(index: index, expected: expected))
        return isNull(index) ? .valueNotFound(Any.self, context) : .typeMismatch(Any.self, context)
    }

    func mismatchError(_ index: Int, _ expected: String) -> DecodingError {
        mismatchError(index, .words(expected))
    }

    /// Returns an error of the standard library for a missing member.
    @inline(never)
    func missingMemberError(_ key: any CodingKey, in object: Int) -> DecodingError {
        let member = DecodingFailure(
            index: entryIndex(of: object),
            expected: .member(key.stringValue)
        )
        return .keyNotFound(key, context(member))
    }

    private func context(_ failure: DecodingFailure) -> DecodingError.Context {
        DecodingError.Context(
            codingPath: codingPath(to: failure.index),
            debugDescription: "Expected \(failure.expected.briefText).",
            underlyingError: failure
        )
    }

    /// Returns an error that lists the valid values of an enum. Returns `error` unchanged if the
    /// enum is not `CaseIterable`, or if the value in the document is no text.
    @inline(never)
    func addingValidValues<T>(of type: T.Type, at index: Int, to error: DecodingError)
        -> DecodingError
    {
        guard case .dataCorrupted(let found) = error, found.underlyingError == nil,
            type is any CaseIterable.Type, let all = EnumCases.all(of: type)
        else { return error }
        let names = all.compactMap { ($0 as? any RawRepresentable<String>)?.rawValue }
        guard !names.isEmpty else { return error }
        let shown = names.prefix(DecodingFailure.namesMax).map { JSONText.quoted($0) }
        let rest = names.count - shown.count
        let words =
            "one of " + shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        return .dataCorrupted(context(DecodingFailure(index: index, expected: .words(words))))
    }

    func jsonError(_ failure: DecodingFailure) -> JSONError {
        let pointer = tape.pointer(to: failure.index)
        let expected = failure.expected.text
        if case .member(let member) = failure.expected {
            return JSONError(
                code: .missing,
                offset: offset(of: failure.index),
                pointer: pointer + "/" + JSONPointer.escaped(member),
                expected: expected,
                message: "The member \"\(member)\" is missing."
            )
        }
        return JSONError(
            code: .mismatch,
            offset: offset(of: failure.index),
            pointer: pointer,
            expected: expected,
            message: "There is \(foundDescription(failure)) where \(expected) is expected."
        )
    }

    private func foundDescription(_ failure: DecodingFailure) -> String {
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

    /// Converts an error of the standard library. The error's coding path determines the offset and
    /// the pointer of the result.
    func jsonError(_ error: DecodingError) -> JSONError {
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
                message: "The type's own decoding code refused the value.",
                failure: error
            )
        }
        if let failure = context.underlyingError as? DecodingFailure {
            return self.jsonError(failure)
        }
        let path = context.codingPath + (member.map { [$0] } ?? [])
        return JSONError(
            code: code,
            offset: offset(along: context.codingPath),
            pointer: path.jsonPointer,
            message: context.debugDescription
        )
    }

    /// Returns the offset of the value at the end of a coding path. If there is no such value,
    /// returns the offset of the last existing value on the path.
    private func offset(along path: [any CodingKey]) -> Int {
        var node = JSONNode(tape: tape, index: 0)
        for key in path {
            let next =
                node.kind == .array
                ? key.intValue.flatMap(node.element) : node.member(named: key.stringValue)
            guard let next else { break }
            node = next
        }
        return node.byteRange.lowerBound
    }
}
