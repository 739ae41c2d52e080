import CStoreHTTPD
import Glibc
import StoreWire
import Synchronization

// A reader joins, the loop watches the reader's socket, and the loop releases the reader when the
// stream ends.

extension StreamLoop {
    /// Adds a reader. The topic takes the frame that the reader brings, unless the topic has a
    /// newer frame.
    func join(_ reader: JoiningReader) {
        let beginning = reader.beginning
        let topic = addTopicIfAbsent(beginning.topic)
        if let first = beginning.firstVersion { deliverVersion(first, to: topic) }
        let slot = freeSlots.popLast() ?? Int32(slots.count)
        if Int(slot) == slots.count { slots.append(StreamSlot()) }
        let index = Int(slot)
        let readerVersion: UInt64? =
            if case .after(let version) = beginning.resume { version } else { nil }
        slots[index] = StreamSlot(
            descriptor: reader.descriptor,
            generation: slots[index].generation &+ 1,
            topicNumber: topic,
            indexInTopic: Int32(topics[Int(topic)].slots.count),
            lifetimeEnd: randomLifetimeEnd(),
            joinedAt: UInt32(clamping: Int(now)),
            nextVersion: readerVersion.map { $0 &+ 1 } ?? 0
        )
        topics[Int(topic)].slots.append(slot)
        swapInTopic(slot, withIndex: topics[Int(topic)].followerCount)
        topics[Int(topic)].followerCount += 1
        if let onEnd = reader.onEnd { endClosuresBySlot[slot] = onEnd }
        if let name = beginning.owner.name { subscriberNamesBySlot[slot] = name }
        if let session = beginning.owner.session { sessionsBySlot[slot] = session }
        if let credential = beginning.owner.credential { hold(credential, of: slot) }
        writer.counters.noteOpened(StreamKind(beginning.topic.subject))
        tune(reader.descriptor)
        watch(slot, EPOLL_CTL_ADD, forWriting: false)
        let first = Chunk.encodeFirst(beginning.head.responseHead, beginning.head.payload)
        deliver(first, to: slot, having: readerVersion)
        for frame in topics[Int(topic)].topic.openingChunks(for: beginning.resume) {
            deliver(frame, to: slot, having: readerVersion)
        }
        if beginning.topic.mode == .patch { sendNewest(to: slot) }
        if beginning.topic.subject == .actions, slots[index].descriptor >= 0 {
            Self.keepRoom(in: reader.descriptor)
            logReaders.add(LogReader(beginning.resume, for: beginning.topic.viewer), at: slot)
        }
        if stopDeadline != nil {
            closeSlot(slot, with: byeFrame(.shutdown), because: .shutdown)
        } else if beginning.owner.hasSessionEnded?() == true
            || beginning.owner.credential?.isAllowed() == false
        {
            closeSlot(slot, with: byeFrame(.expired), because: .expired)
        }
    }

    /// Returns the second in which the lifetime of a new stream is over; 0 if there is no bound. A
    /// random time, up to a tenth of the lifetime, is added to spread the ends.
    func randomLifetimeEnd() -> UInt32 {
        let lifetime = writer.limits.lifetimeSeconds
        guard lifetime > 0 else { return 0 }
        return elapsedSeconds + UInt32(clamping: lifetime)
            + UInt32.random(in: 0...UInt32(lifetime / 10))
    }

    /// Sets socket options: the system sends frames at once, and detects peers that vanish.
    func tune(_ descriptor: CInt) {
        let (yes, tcp) = (CInt(1), CInt(IPPROTO_TCP))
        SocketOption.set(TCP_NODELAY, at: tcp, of: descriptor, to: yes)
        SocketOption.set(SO_KEEPALIVE, of: descriptor, to: yes)
        SocketOption.set(TCP_USER_TIMEOUT, at: tcp, of: descriptor, to: Self.deadPeerMilliseconds)
    }

    func watch(_ slot: Int32, _ operation: CInt, forWriting: Bool) {
        let index = Int(slot)
        var event = epoll_event()
        event.events = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
        if forWriting { event.events |= EPOLLOUT.rawValue }
        event.data.u64 = UInt64(slots[index].generation) << 32 | UInt64(UInt32(bitPattern: slot))
        epoll_ctl(epoll, operation, slots[index].descriptor, &event)
    }

    func handleReadiness(ofReader data: UInt64, events happened: UInt32) {
        let slot = Int32(truncatingIfNeeded: data & 0xFFFF_FFFF)
        let index = Int(slot)
        guard index < slots.count, slots[index].descriptor >= 0,
            slots[index].generation == UInt32(truncatingIfNeeded: data >> 32)
        else { return }
        let gone = EPOLLRDHUP.rawValue | EPOLLHUP.rawValue | EPOLLERR.rawValue
        if happened & gone != 0 || (happened & EPOLLIN.rawValue != 0 && !discardInput(index)) {
            release(slot)
            return
        }
        guard happened & EPOLLOUT.rawValue != 0 else { return }
        if logReaders[slot] != nil { return handleLogWritable(slot) }
        if hasLargeBacklog(slot) { queueForTurn(slot) } else { flush(slot) }
    }

    /// Reads and drops bytes from a reader. Returns `false` if the reader has closed its sending
    /// side or sends too much.
    func discardInput(_ index: Int) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 1) { scratch in
            let descriptor = slots[index].descriptor
            let count = recv(descriptor, scratch.baseAddress, scratch.count, CInt(MSG_DONTWAIT))
            guard count != 0 else { return false }
            slots[index].inputBytes += UInt32(max(0, count))
            return slots[index].inputBytes <= Self.inputBytesMax
        }
    }

    /// Closes a reader's socket, and frees its slot. If the server did not begin to end the stream,
    /// ``StreamEnding/peer`` counts as the cause.
    func release(_ slot: Int32) {
        let index = Int(slot)
        guard slots[index].descriptor >= 0 else { return }
        writer.counters.noteEnded(slots[index].ending ?? .peer)
        behindReaders[slot] = nil
        logReaders[slot] = nil
        if !subscriberNamesBySlot.isEmpty { subscriberNamesBySlot[slot] = nil }
        if !sessionsBySlot.isEmpty { sessionsBySlot[slot] = nil }
        if !credentialsBySlot.isEmpty { credentialsBySlot[slot] = nil }
        // Another descriptor of the socket may still be open. Without the shutdown, the peer would
        // then not notice the end.
        shutdown(slots[index].descriptor, CInt(SHUT_RDWR))
        close(slots[index].descriptor)
        slots[index].descriptor = -1
        let topic = Int(slots[index].topicNumber)
        if slots[index].indexInTopic < topics[topic].followerCount {
            topics[topic].followerCount -= 1
            swapInTopic(slot, withIndex: topics[topic].followerCount)
        }
        swapInTopic(slot, withIndex: topics[topic].slots.count - 1)
        topics[topic].slots.removeLast()
        freeSlots.append(slot)
        writer.giveBackPlace(topics[topic].id)
        removeTopicIfUnread(Int32(topic))
        endClosuresBySlot.removeValue(forKey: slot)?()
    }

    func addTopicIfAbsent(_ topic: TopicID) -> Int32 {
        if let known = topicNumbers[topic] { return known }
        let number = freeTopicNumbers.popLast() ?? Int32(topics.count)
        topicNumbers[topic] = number
        if topics.indices.contains(Int(number)) {
            topics[Int(number)] = TopicReaders(id: topic)
        } else {
            topics.append(TopicReaders(id: topic))
        }
        return number
    }

    /// Removes a topic that has no readers, with its frames. Clients choose the names of some
    /// topics, so the number of topics must not grow for ever.
    func removeTopicIfUnread(_ number: Int32) {
        let topic = topics[Int(number)].id
        // A place may be reserved for a client that has not joined yet. This client still needs the
        // topic, which may have a version newer than the client's first frame.
        guard topics[Int(number)].slots.isEmpty, topic != .state, topic != .actions,
            topicNumbers[topic] == number, !writer.hasReaders(topic)
        else { return }
        topicNumbers[topic] = nil
        topics[Int(number)] = TopicReaders(id: topic)
        recentStates.forget(number)
        freeTopicNumbers.append(number)
    }
}
