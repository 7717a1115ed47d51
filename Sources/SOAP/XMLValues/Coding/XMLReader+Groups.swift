// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension XMLReader {
    /// Reads a required group.
    ///
    /// - Throws: What the group's initializer throws.
    public mutating func group<Group: XMLGroup>() throws(XMLValueError) -> Group {
        if let group: Group = try optionalGroup() { return group }
        // A group whose elements are all optional is there without any of them; others throw what they miss.
        return try readGroup()
    }

    /// Reads a group; returns `nil` where none begins.
    ///
    /// - Throws: What the group's initializer throws.
    public mutating func optionalGroup<Group: XMLGroup>() throws(XMLValueError) -> Group? {
        guard let starts = cursor.starts else { return Group.begins(at: self) ? try readGroup() : nil }
        for index in starts {
            guard let found = cursor.at(index) else { continue }
            var reader = self
            reader.cursor = found
            guard Group.begins(at: reader) else { continue }
            cursor = found
            defer { cursor.leaveGroup() }
            return try readGroup()
        }
        return nil
    }

    /// Reads groups until none begins.
    ///
    /// - Throws: What the group's initializer throws.
    public mutating func groups<Group: XMLGroup>() throws(XMLValueError) -> [Group] {
        var groups: [Group] = []
        while true {
            let before = cursor.progress
            guard let group: Group = try optionalGroup(), cursor.progress != before else { return groups }
            groups.append(group)
        }
    }

    private mutating func readGroup<Group: XMLGroup>() throws(XMLValueError) -> Group {
        do throws(XMLValueError) { return try Group(from: &self) } catch { throw error.located(at: place) }
    }
}
