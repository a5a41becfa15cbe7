import { BoardShape } from '@fivetab/domain/board.ts'
import { UpdateDispositionShape } from '@fivetab/domain/disposition.ts'
import {
  AppSessionShape,
  ChangeEmailShape,
  ChangePasswordShape,
  DeleteAccountShape,
  LinkShape,
  LinkToOpenShape,
  PersonShape,
  ResetPasswordShape,
  SignInShape,
  SignUpShape,
  UpdatePersonShape,
} from '@fivetab/domain/person-shape.ts'
import { SessionShape } from '@fivetab/domain/session-shape.ts'
import { CreateTokenShape, TokenShape, TokenWithValueShape } from '@fivetab/domain/token-shape.ts'
import { ExportShape } from './export.ts'
import { SessionList } from './sessions.ts'
import { TokenList } from './tokens.ts'

/** The named shapes that only the app's own routes have: no components of the API's document. */
export const APP_SHAPES = [
  AppSessionShape,
  PersonShape,
  SignUpShape,
  SignInShape,
  LinkToOpenShape,
  LinkShape,
  ResetPasswordShape,
  UpdatePersonShape,
  ChangeEmailShape,
  ChangePasswordShape,
  DeleteAccountShape,
  SessionShape,
  SessionList,
  TokenShape,
  TokenWithValueShape,
  TokenList,
  CreateTokenShape,
  UpdateDispositionShape,
  BoardShape,
  ExportShape,
]
