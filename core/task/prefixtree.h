#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace headscope {

/// The prefixes that a search visited, as a tree: every node is its parent's sentence and one more token. Node 0 is the
/// start token alone; parents come before their children.
class PrefixTree
{
public:
    explicit PrefixTree(std::int64_t startToken) { m_nodes.push_back({.token = startToken}); }

    std::int64_t size() const { return std::ssize(m_nodes); }
    std::int64_t token(std::int64_t node) const { return at(node).token; }
    std::int64_t parent(std::int64_t node) const { return at(node).parent; } ///< −1 for node 0
    std::int64_t depth(std::int64_t node) const { return at(node).depth; }   ///< 0 for node 0

    /// The node that continues another with a token; −1 if there is none.
    std::int64_t find(std::int64_t node, std::int64_t token) const
    {
        std::int64_t child = at(node).firstChild;
        while (child >= 0 && at(child).token != token)
            child = at(child).nextSibling;
        return child;
    }
    /// The child for this token, created if there is none.
    std::int64_t child(std::int64_t node, std::int64_t token)
    {
        if (const std::int64_t child = find(node, token); child >= 0)
            return child;
        m_nodes.push_back({token, node, depth(node) + 1, -1, at(node).firstChild});
        m_nodes[static_cast<std::size_t>(node)].firstChild = size() - 1;
        return size() - 1;
    }

    /// From node 0 to `node`.
    std::vector<std::int64_t> path(std::int64_t node) const
    {
        std::vector<std::int64_t> nodes(static_cast<std::size_t>(depth(node)) + 1);
        for (auto place = nodes.rbegin(); place != nodes.rend(); ++place, node = parent(node))
            *place = node;
        return nodes;
    }

    /// The nodes for which `isWanted` holds (with a node its parent), numbered so that they fall into few chains.
    template<typename IsWanted>
    PrefixTree inChains(IsWanted &&isWanted) const
    {
        std::vector<std::int64_t> height(m_nodes.size(), 0); // of the longest way down
        for (std::int64_t node = size() - 1; node > 0; --node) {
            if (isWanted(node))
                height[index(parent(node))] = std::max(height[index(parent(node))], height[index(node)] + 1);
        }
        PrefixTree tree(token(0));
        std::vector<std::pair<std::int64_t, std::int64_t>> open{{0, 0}}; // here and in the new tree; the next one last
        while (!open.empty()) {
            auto [node, copy] = open.back();
            open.pop_back();
            if (node > 0)
                copy = tree.child(copy, token(node)); // `copy` was its parent's
            std::vector<std::int64_t> children;
            for (std::int64_t child = at(node).firstChild; child >= 0; child = at(child).nextSibling) {
                if (isWanted(child))
                    children.push_back(child);
            }
            std::ranges::sort(children, {}, [&](std::int64_t child) { return height[index(child)]; });
            for (std::int64_t child : children)
                open.emplace_back(child, copy);
        }
        return tree;
    }

    /// Runs of consecutive nodes, each of which continues the one before: first node and one after the last.
    std::vector<std::pair<std::int64_t, std::int64_t>> chains() const
    {
        std::vector<std::pair<std::int64_t, std::int64_t>> found;
        for (std::int64_t node = 0; node < size(); ++node) {
            if (found.empty() || parent(node) != node - 1)
                found.emplace_back(node, node);
            found.back().second = node + 1;
        }
        return found;
    }

private:
    struct Node
    {
        std::int64_t token = 0;
        std::int64_t parent = -1;
        std::int64_t depth = 0;
        std::int64_t firstChild = -1;
        std::int64_t nextSibling = -1;
    };
    static std::size_t index(std::int64_t node) { return static_cast<std::size_t>(node); }
    const Node &at(std::int64_t node) const { return m_nodes[index(node)]; }

    std::vector<Node> m_nodes;
};

} // namespace headscope
