import { type Collection, MongoClient } from 'mongodb';

interface Credentials { name: string; password: string }

export class UserRepository {
  private readonly users: Collection;

  constructor() {
    this.users = new MongoClient('mongodb://localhost').db('app').collection('users');
  }

  byCredentials(credentials: Credentials) {
    return this.users.findOne({ ...credentials, active: true }); // sink: nosql-injection body
  }
}
