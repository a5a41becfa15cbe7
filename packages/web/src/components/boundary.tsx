import { Component, type ReactNode } from 'react'

interface BoundaryProps {
  children: ReactNode
  /** What is shown in the place of what could not be drawn. */
  fallback: ReactNode
}

/** Keeps a fault in a part of the page from leaving nothing of it. What was being drawn is in the browser's console. */
export class Boundary extends Component<BoundaryProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}
