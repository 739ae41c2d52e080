import StoreTexts
import StoreWire

// The meaning of the texts in `read`, `call` and `use`.

extension PolicyReader {
    /// Returns the scope of an element of `read`. Adds a fault and returns `nil` if it is invalid.
    mutating func readScope(_ node: JSONNode, _ pointer: String) -> ReadScope? {
        let allowed =
            "allowed are \"/MEMBER\" of the state, \"/*\" for all of "
            + "them, \"views/NAME\", \"views/*\", \"log\" and \"*\" for everything"
        guard let text = text(node, pointer, allowed) else { return nil }
        if text.isSame(as: "*") { return .everything }
        if text.isSame(as: "/*") { return .members }
        if text.isSame(as: "log") { return .log }
        if let view = text.rest(after: "views/") {
            if view.isSame(as: "*") { return .views }
            if names.views.contains(view) { return .view(view) }
            unknown(
                text,
                "no view of this store",
                allowed,
                pointer,
                names.views.names.map { "views/" + $0 }
            )
            return nil
        }
        guard let path = JSONPointer(text), let member = path.tokens.first else {
            unknown(text, "no name of a part that can be read", allowed, pointer, readNames)
            return nil
        }
        guard names.members.contains(member) else {
            if names.members.names.isEmpty {
                add(pointer, "the state of this store is one piece; allowed is \"/*\", all of it")
            } else {
                unknown(text, "no member of the state", allowed, pointer, readNames)
            }
            return nil
        }
        guard path.tokens.count == 1 else {
            add(
                pointer,
                "\(quoted(text)) is a part of a member; allowed is all of it, "
                    + "\(quoted("/" + JSONPointer.escaped(member))), or a view that shows the part"
            )
            return nil
        }
        return .member(member)
    }

    private var readNames: [String] {
        names.members.names.map { "/" + JSONPointer.escaped($0) }
            + names.views.names.map { "views/" + $0 } + ["log"]
    }

    /// Returns the scope of an element of `call`. Adds a fault and returns `nil` if it is invalid.
    mutating func callScope(_ node: JSONNode, _ pointer: String) -> CallScope? {
        let allowed =
            "allowed are \"usecases/NAME\", \"usecases/*\", \"notify/NAME\", "
            + "\"notify/*\" and \"*\""
        guard let text = text(node, pointer, allowed) else { return nil }
        if text.isSame(as: "*") { return .everything }
        if let path = text.rest(after: "usecases/") {
            if path.isSame(as: "*") { return .useCases }
            if names.useCases.contains(path) { return .useCase(path) }
            let candidates = names.useCases.names.map { "usecases/" + $0 }
            unknown(text, "no use case of this store", allowed, pointer, candidates)
            return nil
        }
        if let name = text.rest(after: "notify/") {
            if name.isSame(as: "*") { return .notifications }
            if names.notifications.contains(name) { return .notification(name) }
            let candidates = names.notifications.names.map { "notify/" + $0 }
            unknown(text, "no notification of this store", allowed, pointer, candidates)
            return nil
        }
        let candidates =
            names.useCases.names.map { "usecases/" + $0 }
            + names.notifications.names.map { "notify/" + $0 }
        unknown(text, "no name of a call", allowed, pointer, candidates)
        return nil
    }

    /// Returns the scope of an element of `use`. Adds a fault and returns `nil` if it is invalid.
    mutating func useScope(_ node: JSONNode, _ pointer: String) -> UseScope? {
        let groups = RouteGroupName.allCases.map(\.rawValue)
        let allowed = "allowed are \(groups.joined(separator: ", ")) and \"*\""
        guard let text = text(node, pointer, allowed) else { return nil }
        if text.isSame(as: "*") { return .everything }
        guard let group = RouteGroupName(rawValue: text) else {
            unknown(text, "no group of routes", allowed, pointer, groups)
            return nil
        }
        return .group(group)
    }

    /// Returns the text of a node. Adds a fault if the node is no text.
    mutating func text(_ node: JSONNode, _ pointer: String, _ allowed: String) -> String? {
        if let text = node.stringValue { return text }
        add(pointer, "this is no text; \(allowed)")
        return nil
    }

    /// Adds a fault for an unknown name.
    mutating func unknown(
        _ text: String,
        _ what: String,
        _ allowed: String,
        _ pointer: String,
        _ candidates: [String]
    ) {
        add(pointer, "\(quoted(text)) is \(what); \(allowed)", nearest: text, in: candidates)
    }

    /// Quotes a text of the file for a message, shortened if it is long.
    func quoted(_ text: String) -> String { JSONText.quoted(Problem.excerpt(text)) }
}

extension String {
    /// Returns the rest after a prefix, compared by bytes; `nil` if the text has another beginning.
    func rest(after start: String) -> String? {
        guard utf8.starts(with: start.utf8) else { return nil }
        return String(decoding: utf8.dropFirst(start.utf8.count), as: UTF8.self)
    }
}
