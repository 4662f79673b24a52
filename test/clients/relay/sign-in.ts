import { graphql } from 'relay-runtime';

export const SignIn = graphql`
  mutation signInMutation($input: SignInInput!) {
    signIn(input: $input) { token }
  }
`;
