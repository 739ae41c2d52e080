extension Problem {
    /// The body: the members of RFC 9457 §3.1, then this kind's own.
    package var body: Bytes {
        var writer = JSONWriter()
        writer.object { object in
            object.member("type", slug.path)
            object.member("title", title)
            object.member("status", status)
            object.member("detail", detail)
            if let instance { object.member("instance", instance) }
            for member in members {
                switch member.value {
                case .string(let value): object.member(member.name, value)
                case .integer(let value): object.member(member.name, value)
                case .strings(let values): object.member(member.name, values)
                }
            }
        }
        return writer.bytes
    }
}
