/// What went wrong at an entry of the tape. Travels within the `DecodingError` that people's own code
/// may catch, and becomes a ``JSONError`` at the border.
struct DecodingFailure: Error {
    let code: JSONError.Code
    let index: Int
    var member: String?
    let expected: String
    let found: String

    /// A value of another kind, or a number out of range.
    static func mismatch(_ index: Int, expected: String, found: String) -> Self {
        Self(code: .mismatch, index: index, expected: expected, found: found)
    }

    /// A member that the object at `index` lacks.
    static func missing(_ index: Int, member: String) -> Self {
        Self(
            code: .missing,
            index: index,
            member: member,
            expected: "a member \"\(member)\"",
            found: ""
        )
    }
}

extension DecodingState {
    func offset(of index: Int) -> Int {
        Int(tape.entries[index].start)
    }

    /// The standard library's form of a value that does not fit.
    func failure(_ failure: DecodingFailure) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath(to: failure.index),
            debugDescription: error(failure).message,
            underlyingError: failure
        )
        return isNull(failure.index)
            ? .valueNotFound(Any.self, context) : .typeMismatch(Any.self, context)
    }

    /// The standard library's form of a member that is not there.
    func missing(_ key: any CodingKey, in object: Int) -> DecodingError {
        let failure = DecodingFailure.missing(object, member: key.stringValue)
        return .keyNotFound(
            key,
            DecodingError.Context(
                codingPath: codingPath(to: object),
                debugDescription: error(failure).message,
                underlyingError: failure
            )
        )
    }

    func error(_ failure: DecodingFailure) -> JSONError {
        let pointer = tape.pointer(to: failure.index)
        if let member = failure.member {
            return JSONError(
                code: .missing,
                offset: offset(of: failure.index),
                pointer: pointer + "/" + escapedToken(member),
                expected: "a value",
                message: "The member \"\(member)\" is missing."
            )
        }
        return JSONError(
            code: failure.code,
            offset: offset(of: failure.index),
            pointer: pointer,
            expected: failure.expected,
            message: "There is \(failure.found) where \(failure.expected) is expected."
        )
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
            return JSONError(code: .invalid, message: "\(error)")
        }
        if let failure = context.underlyingError as? DecodingFailure { return self.error(failure) }
        let path = context.codingPath + (member.map { [$0] } ?? [])
        return JSONError(
            code: code,
            offset: offset(along: context.codingPath),
            pointer: path.map { "/" + escapedToken($0.intValue.map(String.init) ?? $0.stringValue) }
                .joined(),
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
