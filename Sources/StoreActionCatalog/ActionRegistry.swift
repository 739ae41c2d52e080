package import StoreCore
package import StoreWire

/// Finds what is known of actions: by their wire names, and by their types.
package struct ActionRegistry<State>: Sendable {
    package let table: ActionTable
    /// What analytics keep of an action, by its type, where that declares anything.
    private let recorders: [ObjectIdentifier: ActionRecorder<State>.Record]

    /// Registers every action of the list, and those of modules.
    ///
    /// - Throws: where two types share a wire name, a name is empty, a type has no form on the
    ///   wire, or an action's analytics are declared for another state.
    package init(
        _ list: ActionList,
        _ modules: [ModuleActions<State>] = [],
        payloadBytesMax: Int = ActionTable.payloadBytesMax
    ) throws(ConfigurationError) {
        var types: [RegisteredType] = []
        for entry in list.entries {
            types.append(try .whole(entry.type, named: entry.name, module: entry.module))
        }
        for module in modules { types += try module.types() }
        let ofList = list.entries.compactMap { $0.type as? any TrackedAction.Type }
        var recorders: [ObjectIdentifier: ActionRecorder<State>.Record] = [:]
        for recorder in ofList.map({ ActionRecorder(of: $0) }) + modules.flatMap(\.recorders) {
            guard let record = recorder.record else {
                throw ConfigurationError(
                    "the action '\(recorder.type)' declares its analytics for another state than "
                        + "\(State.self) or the slice of its module"
                )
            }
            recorders[ObjectIdentifier(recorder.type)] = record
        }
        table = try ActionTable(types, payloadBytesMax: payloadBytesMax)
        self.recorders = recorders
    }

    /// Every wire name, in the order of the list and of the modules.
    package var entries: [RegisteredAction] { table.entries }

    /// The action of this wire name; one of an instance, `cards/7/liked`, names the instance, too.
    package subscript(name: String) -> FoundAction? { table[name] }

    /// What is reduced and journaled of an action that the program itself dispatches.
    ///
    /// - Throws: as ``ActionTable/member(of:_:)``.
    package func member(of action: any Action, _ encoder: JSONEncoder) throws -> EnvelopeMember {
        try table.member(of: action, encoder)
    }

    /// Makes the analytics record of an action, given the state before it and the session.
    package func record(
        of action: any Action,
        of session: String?,
        before state: State
    ) -> (any Encodable & Sendable)? {
        guard !recorders.isEmpty else { return nil }
        let addressed = action as? AddressedAction
        let action = addressed?.action ?? action
        // Most actions are of no such type: only one that is allocates its key.
        guard let record = recorders[ObjectIdentifier(type(of: action))] else { return nil }
        return record(action, state, SliceKey(session: session, instance: addressed?.instance))
    }
}

/// The actions of a server by name and by type. It is no generic type, so that requests look no
/// metadata up, and an object, so that they don't copy it.
package final class ActionTable: Sendable {
    /// The most bytes of a payload: those that one record of history can hold.
    static let payloadBytesMax = Record.fieldBytesMax

    package let entries: [RegisteredAction]
    private let names: NameIndex
    private let types: [ObjectIdentifier: PlacedType]
    private let payloadBytesMax: Int

    /// - Throws: where two actions share a wire name, or one has none.
    package init(
        _ types: [RegisteredType],
        payloadBytesMax: Int = ActionTable.payloadBytesMax
    ) throws(ConfigurationError) {
        self.payloadBytesMax = payloadBytesMax
        entries = types.flatMap(\.entries)
        var taken: Set<ExactText> = []
        for entry in entries {
            guard !entry.name.isEmpty else {
                throw ConfigurationError("an action has an empty wire name; give it one")
            }
            guard taken.insert(ExactText(entry.name)).inserted else {
                throw ConfigurationError(
                    "two actions have the wire name '\(entry.name)'; names must be unique"
                )
            }
        }
        names = NameIndex(entries.map(\.name))
        var first = 0
        var placed: [ObjectIdentifier: PlacedType] = [:]
        for type in types {
            placed[ObjectIdentifier(type.type)] = PlacedType(type: type, first: first)
            first += type.entries.count
        }
        self.types = placed
    }

    /// A type, and the place of its first entry in ``entries``.
    private struct PlacedType {
        let type: RegisteredType
        let first: Int
    }

    package subscript(name: String) -> FoundAction? {
        var name = name
        return name.withUTF8 { self[$0] }
    }

    /// The action of a wire name, given as UTF-8.
    package subscript(name: UnsafeBufferPointer<UInt8>) -> FoundAction? {
        if let place = names.place(of: name), !entries[place].isForInstances {
            let entry = entries[place]
            return FoundAction(entry: entry, place: place, instance: nil, wireName: entry.name)
        }
        return ofInstance(name)
    }

    private func ofInstance(_ name: UnsafeBufferPointer<UInt8>) -> FoundAction? {
        let slash = UInt8(ascii: "/")
        guard let first = name.firstIndex(of: slash), let last = name.lastIndex(of: slash),
            first < last, 1...InstanceID.bytesMax ~= last - first - 1
        else { return nil }
        let short = Array(name[..<first]) + name[last...]
        guard let place = short.withUnsafeBufferPointer({ names.place(of: $0) }),
            entries[place].isForInstances
        else { return nil }
        return FoundAction(
            entry: entries[place],
            place: place,
            instance: String(decoding: name[(first + 1)..<last], as: UTF8.self),
            wireName: String(decoding: name, as: UTF8.self)
        )
    }

    /// What may be dispatched somewhere; by a sender, where one is given.
    package func forms(
        for audience: ActionAudience,
        by sender: (any DispatchPermission)? = nil
    ) -> [ActionForm] {
        entries.indices.filter { place in
            let entry = entries[place]
            let isTaken =
                switch audience {
                case .everybody: entry.access == .everybody
                case .views(let module, _): entry.access == .views && entry.module == module
                }
            return isTaken && sender?.mayDispatch(place) != false
        }.map { entries[$0].form }
    }

    /// An action for one instance, unless it names an instance itself or is for none.
    package func addressed(_ action: any Action, to instance: String) -> any Action {
        guard let placed = types[ObjectIdentifier(type(of: action))],
            placed.type.entries.first?.isForInstances == true
        else { return action }
        return action.to(instance)
    }

    /// What is reduced and journaled of an action that the program itself dispatches: the same as
    /// if a client had sent it, so without its secret members.
    ///
    /// - Throws: ``UnwrittenAction`` where no list and no module has its type, or history can't
    ///   hold it; the error of the encoder or the decoder where it has no JSON form, or needs a
    ///   secret member.
    package func member(of action: any Action, _ encoder: JSONEncoder) throws -> EnvelopeMember {
        var inner = action
        var instance: String?
        if type(of: action) == AddressedAction.self, let addressed = action as? AddressedAction {
            (inner, instance) = (addressed.action, addressed.instance)
        }
        guard let known = types[ObjectIdentifier(type(of: inner))] else {
            throw UnwrittenAction.unregistered(inner)
        }
        let (place, payload) = try known.type.write(inner, encoder)
        let entry = known.type.entries[place]
        // Only instances are told apart by an id: elsewhere it has no place on the wire.
        if !entry.isForInstances { instance = nil }
        let wireName = entry.wireName(instance)
        // Clients' are bounded by the body; a record that history can't hold would end the server.
        guard payload.count <= payloadBytesMax else {
            throw UnwrittenAction.oversized(bytes: payload.count, bytesMax: payloadBytesMax)
        }
        if !entry.secrets.isEmpty {
            let document = try JSONDocument(parsing: payload, limits: .unbounded)
            if document.root.hasMember(of: entry.secrets) {
                let found = FoundAction(
                    entry: entry,
                    place: known.first + place,
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
            number: known.first + place
        )
    }
}

/// The bound on instances' ids.
package enum InstanceID {
    package static let bytesMax = 128
}
