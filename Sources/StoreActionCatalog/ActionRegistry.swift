package import StoreCore
package import StoreJSON
package import StoreJSONSchema

/// The registered actions of a program, by wire name and by type.
package struct ActionRegistry<State>: Sendable {
    package let table: ActionTable
    /// The functions that make analytics records, by type of action.
    private let recordMakersByType: [ObjectIdentifier: AnalyticsRecorder<State>.RecordMaker]

    /// Registers the actions of the list and of the modules.
    ///
    /// - Throws: ``ConfigurationError`` if two types share a wire name, if a name is empty, or if a
    ///   type has no JSON form. Throws the same error if an action's analytics are declared for
    ///   another type of state.
    package init(
        _ list: ActionList,
        _ modules: [ModuleActions<State>] = [],
        payloadBytesMax: Int = ActionTable.payloadBytesMax
    ) throws(ConfigurationError) {
        var types: [RegisteredType] = []
        for entry in list.entries {
            let place = ActionTraits(module: entry.module)
            types.append(try .single(entry.type, named: entry.name, traits: place))
        }
        for module in modules { types += try module.makeTypes() }
        let ofList = list.entries.compactMap { $0.type as? any TrackedAction.Type }
        var recorders: [ObjectIdentifier: AnalyticsRecorder<State>.RecordMaker] = [:]
        for recorder in ofList.map({ AnalyticsRecorder(of: $0) }) + modules.flatMap(\.recorders) {
            guard let record = recorder.makeRecord else {
                throw ConfigurationError(
                    "the analytics of the action '\(recorder.type)' are declared for another "
                        + "state; declare them for \(State.self), or for the slice of the action's "
                        + "module"
                )
            }
            recorders[ObjectIdentifier(recorder.type)] = record
        }
        table = try ActionTable(types, payloadBytesMax: payloadBytesMax)
        self.recordMakersByType = recorders
    }

    /// The registered actions, in the order of the list and then of the modules.
    package var entries: [RegisteredAction] { table.entries }

    /// The action with this wire name. A name such as `cards/7/liked` also names the instance.
    package subscript(name: String) -> FoundAction? { table[name] }

    /// Returns the member of an envelope for an action that the program itself dispatches.
    ///
    /// - Throws: the errors of ``ActionTable/member(of:_:)``.
    package func member(of action: any Action, _ encoder: JSONEncoder) throws -> EnvelopeMember {
        try table.member(of: action, encoder)
    }

    /// Returns the analytics record of an action of a client. `state` is the state before the
    /// action.
    package func analyticsRecord(
        of action: any Action,
        in envelope: ActionEnvelope,
        before state: State
    ) -> (any Encodable & Sendable)? {
        guard !recordMakersByType.isEmpty else { return nil }
        let action = (action as? AddressedAction)?.action ?? action
        // Look for the function first: most types have none, and making the context costs more than
        // this look-up.
        guard let record = recordMakersByType[ObjectIdentifier(type(of: action))] else {
            return nil
        }
        return record(action, state, envelope.context)
    }
}

/// The registered actions of a server, by wire name and by type. The class is not generic, so that
/// requests need no look-up of metadata. Requests share the table without a copy.
package final class ActionTable: Sendable {
    /// The maximum size of a payload in bytes: the bound on a field of a record.
    static let payloadBytesMax = Record.fieldBytesMax

    package let entries: [RegisteredAction]
    private let names: NameIndex
    /// The types, each with the index of its first entry in ``entries``.
    private let typesWithFirstEntryIndex: [ObjectIdentifier: (type: RegisteredType, first: Int)]
    private let payloadBytesMax: Int

    /// Makes the table.
    ///
    /// - Throws: ``ConfigurationError`` if two actions share a wire name, or if a wire name is
    ///   empty.
    package init(
        _ types: [RegisteredType],
        payloadBytesMax: Int = ActionTable.payloadBytesMax
    ) throws(ConfigurationError) {
        self.payloadBytesMax = payloadBytesMax
        entries = types.flatMap(\.entries)
        var taken: Set<ExactText> = []
        for entry in entries {
            guard !entry.name.isEmpty else {
                throw ConfigurationError("an action has an empty wire name; give the action a name")
            }
            guard taken.insert(ExactText(entry.name)).inserted else {
                throw ConfigurationError(
                    "two actions have the wire name '\(entry.name)'; names must be unique"
                )
            }
        }
        names = NameIndex(entries.map(\.name))
        var first = 0
        var placed: [ObjectIdentifier: (type: RegisteredType, first: Int)] = [:]
        for type in types {
            placed[ObjectIdentifier(type.type)] = (type, first)
            first += type.entries.count
        }
        self.typesWithFirstEntryIndex = placed
    }

    package subscript(name: String) -> FoundAction? {
        var name = name
        return name.withUTF8 { self[$0] }
    }

    /// The action with this wire name, in UTF-8.
    package subscript(name: UnsafeBufferPointer<UInt8>) -> FoundAction? {
        if let place = names.nameIndex(of: name), !entries[place].isForInstances {
            let entry = entries[place]
            return FoundAction(entry: entry, entryIndex: place, instance: nil, wireName: entry.name)
        }
        return instanceAction(named: name)
    }

    private func instanceAction(named name: UnsafeBufferPointer<UInt8>) -> FoundAction? {
        let slash = UInt8(ascii: "/")
        guard let first = name.firstIndex(of: slash), let last = name.lastIndex(of: slash),
            first < last, 1...InstanceID.bytesMax ~= last - first - 1
        else { return nil }
        let short = Array(name[..<first]) + name[last...]
        guard let place = short.withUnsafeBufferPointer({ names.nameIndex(of: $0) }),
            entries[place].isForInstances
        else { return nil }
        return FoundAction(
            entry: entries[place],
            entryIndex: place,
            instance: String(decoding: name[(first + 1)..<last], as: UTF8.self),
            wireName: String(decoding: name, as: UTF8.self)
        )
    }

    /// Returns the signatures of the actions that these clients may dispatch. If `sender` is not
    /// `nil`, the result has only actions that the sender may dispatch.
    package func signatures(
        for audience: ActionSenders,
        by sender: (any DispatchPermission)? = nil
    ) -> [ActionSignature] {
        entries.enumerated().filter { place, entry in
            let isTaken =
                switch audience {
                case .everybody: entry.access == .everybody
                case .views(let module, _): entry.access == .views && entry.module == module
                }
            return isTaken && sender?.mayDispatch(actionAt: place) != false
        }.map(\.element.signature)
    }

    /// Returns an action with the id of an instance; the action itself if its type is not for
    /// instances.
    package func addressed(_ action: any Action, to instance: String) -> any Action {
        guard let placed = typesWithFirstEntryIndex[ObjectIdentifier(type(of: action))],
            placed.type.entries.first?.isForInstances == true
        else { return action }
        return action.to(instance)
    }

    /// Returns the member of an envelope for an action that the program itself dispatches. Removes
    /// the secret members from the payload, as for a client's request.
    ///
    /// - Throws: ``ActionWriteError`` if no list and no module has the type, or if the payload is
    ///   too large for a record. Throws the encoder's error if the action has no JSON form. Throws
    ///   the decoder's error if the decoder needs a secret member.
    package func member(of action: any Action, _ encoder: JSONEncoder) throws -> EnvelopeMember {
        var inner = action
        var instance: String?
        if type(of: action) == AddressedAction.self, let addressed = action as? AddressedAction {
            (inner, instance) = (addressed.action, addressed.instance)
        }
        guard let known = typesWithFirstEntryIndex[ObjectIdentifier(type(of: inner))] else {
            throw ActionWriteError.unregistered(inner)
        }
        let (entryIndex, payload) = try known.type.write(inner, encoder)
        let entry = known.type.entries[entryIndex]
        // Only actions for instances have an id in their wire names.
        if !entry.isForInstances { instance = nil }
        let wireName = entry.wireName(instance)
        // The bound on the body limits payloads of clients. No such bound applies to the program,
        // and a payload that is too large for a record would stop the server.
        guard payload.count <= payloadBytesMax else {
            throw ActionWriteError.oversized(bytes: payload.count, bytesMax: payloadBytesMax)
        }
        if !entry.secretMembers.isEmpty {
            let document = try JSONDocument(parsing: payload, limits: .unbounded)
            if document.root.hasMember(namedAnyOf: entry.secretMembers) {
                let found = FoundAction(
                    entry: entry,
                    entryIndex: known.first + entryIndex,
                    instance: instance,
                    wireName: wireName
                )
                return try found.member(document.root, JSONDecoder(limits: .unbounded))
            }
        }
        return EnvelopeMember(
            action: entry.isForInstances ? action : inner,
            type: wireName,
            payload: payload,
            typeIndex: known.first + entryIndex
        )
    }
}

/// The bound on the ids of instances.
package enum InstanceID { package static let bytesMax = 128 }

/// The error for a configuration with a fault: a line that names the fault and the allowed values.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The line, without the program's name.
    public let description: String

    /// Makes the error for a line with the mistake and the allowed values.
    public init(_ description: String) { self.description = description }

    package static func disallowedValue(_ value: String, of origin: String, allowed: String) -> Self
    {
        Self("\(origin): '\(value)' is not allowed; allowed is \(allowed)")
    }
}
